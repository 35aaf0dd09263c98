"""Replacing marks in a text, with the way back from the new text to the old."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple


class Substitution(NamedTuple):
    """Every match of `pattern` becomes what `replaced` makes of it."""

    pattern: re.Pattern[bytes]
    replaced: Callable[[re.Match[bytes]], bytes]

    def apply(self, data: bytes) -> bytes:
        """The new text."""
        return self.pattern.sub(self.replaced, data)

    def origin(self, data: bytes, offset: int) -> int:
        """Where in `data` the byte `offset` of the new text comes from."""
        made = read = 0
        for match in self.pattern.finditer(data):
            kept = match.start() - read
            if made + kept > offset:
                break
            made, read = made + kept + len(self.replaced(match)), match.end()
            if made > offset:
                return match.start()
        return read + offset - made
