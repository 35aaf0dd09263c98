"""What corrections make of a text: the guardrails and `verify` replay them alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Change(Protocol):
    """One replacement; `start` and `end` are offsets of what it replaces."""

    @property
    def start(self) -> int: ...  # noqa: D102
    @property
    def end(self) -> int: ...  # noqa: D102
    @property
    def replacement(self) -> str: ...  # noqa: D102


def corrected(text: str, changes: Sequence[Change]) -> str:
    """`text` with changes applied; they are in order and don't overlap."""
    pieces: list[str] = []
    last = 0
    for change in changes:
        pieces += [text[last : change.start], change.replacement]
        last = change.end
    return "".join([*pieces, text[last:]])
