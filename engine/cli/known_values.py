"""The secret values that this installation knows, for the scan before publishing."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from urllib.parse import unquote, urlsplit

SHORTEST = 8
"""A shorter value would be found in ordinary text everywhere; such a password has to be changed, not looked for."""


def known_values() -> Mapping[str, str]:
    """By name: every credential variable of the model registry that is set, and the database's password.

    Variables that aren't set here are named on stderr, since their values can't be looked for.
    """
    from dataset.home import state_directory
    from dataset.store.session import DATABASE_URL_VARIABLE
    from engine.providers.registry import ModelRegistry

    registry = ModelRegistry.load(state_directory())
    found = registry.credential_values(os.environ)
    unset = [name for name in registry.credential_names() if name not in found]
    if unset:
        print(f"note: not set here, so their values aren't looked for: {', '.join(unset)}", file=sys.stderr)
    password = database_password(os.environ.get(DATABASE_URL_VARIABLE, ""))
    if password is not None:
        found[DATABASE_URL_VARIABLE] = password
    return found


def database_password(url: str) -> str | None:
    """The password in a database URL, decoded; None where there is none or it is too short to look for."""
    try:
        password = urlsplit(url).password
    except ValueError:
        return None
    decoded = unquote(password) if password else ""
    return decoded if len(decoded) >= SHORTEST else None
