"""Where rows of certain characters begin, found in native code: an expression would try every word of the text."""

from __future__ import annotations

import re
from collections.abc import Iterator

_INSIDE, _OUTSIDE = b"x", b" "


class Runs:
    """Rows of at least `shortest` of `characters`, and what `pattern` takes from the beginning of each."""

    def __init__(self, characters: bytes, shortest: int, pattern: re.Pattern[bytes]) -> None:
        """`pattern` takes every such row from its beginning to its end at least, and begins with nothing else."""
        self._kinds = bytes((_INSIDE if code in characters else _OUTSIDE)[0] for code in range(256))
        self._shortest, self._pattern = _INSIDE * shortest, pattern

    def find(self, data: bytes) -> Iterator[re.Match[bytes]]:
        """What `pattern.finditer` finds."""
        kinds = data.translate(self._kinds)
        start = kinds.find(self._shortest)
        while start >= 0 and (run := self._pattern.match(data, start)):
            yield run
            start = kinds.find(self._shortest, run.end())
