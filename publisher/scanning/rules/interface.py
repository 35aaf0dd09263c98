"""What a rule is: a pure look at a text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from publisher.scanning.passage import Form


class Hit(NamedTuple):
    """Characters `start` to `end` of a text break `rule`. `shown` is false where even the first characters
    of the match tell too much (an encoded form of a secret)."""

    rule: str
    label: str
    start: int
    end: int
    shown: bool = True


class Rule(Protocol):
    """A family of rules. Safe to share between threads."""

    def find(self, text: str, form: Form) -> Iterable[Hit]:
        """Every hit in `text`, in any order."""
        ...
