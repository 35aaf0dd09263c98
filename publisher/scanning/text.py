"""A text to look at: the document itself, or what a layer read out of another text."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Reading(NamedTuple):
    """What a layer read out of a text; `origin` leads from an offset in `data` back to one in that text."""

    data: bytes
    origin: Callable[[int], int]


class Text(NamedTuple):
    """Bytes to look at, with the way back to the document. `depth` counts the readings since the document."""

    data: bytes
    depth: int = 0
    parent: Text | None = None
    origin: Callable[[int], int] | None = None

    def read(self, reading: Reading) -> Text:
        """The text one layer further down."""
        return Text(reading.data, self.depth + 1, self, reading.origin)

    def offset_in_document(self, offset: int) -> int:
        """Where in the document the byte `offset` of this text stands, or was read from."""
        text = self
        while text.parent is not None and text.origin is not None:
            offset, text = text.origin(offset), text.parent
        return offset
