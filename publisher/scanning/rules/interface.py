"""What a rule is: a pure look at a text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple, Protocol, runtime_checkable


class Hit(NamedTuple):
    """Bytes `start` to `end` of a text break `rule`. `shown` is false where even the first characters of the match
    tell too much (an encoded form of a secret)."""

    rule: str
    label: str
    start: int
    end: int
    shown: bool = True


class Rule(Protocol):
    """A family of rules. Safe to share between threads."""

    @property
    def marks(self) -> tuple[re.Pattern[bytes], ...]:
        """Patterns of which one occurs in every text with a hit; none for a `ScreenedRule`."""
        ...

    def find(self, data: bytes) -> Iterable[Hit]:
        """Every hit in `data`, in any order."""
        ...


@runtime_checkable
class ScreenedRule(Rule, Protocol):
    """A rule without marks that has a gate of its own. `find` may be called where it says no, and finds nothing."""

    def may_hold(self, data: bytes) -> bool:
        """False only where there is a hit neither in `data` nor in any of the texts that it joins with line breaks."""
        ...
