"""Counts with the right form of their noun."""

from __future__ import annotations


def counted(count: int, one: str, many: str | None = None) -> str:
    """`1 run`, `2 runs`, `1,200 runs`; `many` where adding an s isn't enough."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
