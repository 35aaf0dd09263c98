"""A right that a login state grants and a tool needs."""

from __future__ import annotations

from dataset.record import Identifier, Localised, Record, Version
from dataset.tools.scene import LoginState


class Permission(Record):
    """A versioned permission and the login states that hold it."""

    id: Identifier
    version: Version
    title: Localised
    granted_to: tuple[LoginState, ...]
