"""The strings of JSON that hold escapes, decoded. All others read as they stand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial

from publisher.scanning.layers.backslash import ESCAPES, MARK, unescaped
from publisher.scanning.text import Reading

JSON_BEGINS = re.compile(rb"^(?:\xef\xbb\xbf)?[ \t\r\n]{0,64}[{\[]")
_REST = re.compile(rb"(?s:\\.[^\"\\]*+)*+\\?")
# Neither a word character nor white space, so that no rule reads across two strings unawares.
_BETWEEN = b"\n\1\n"


class JsonStrings:
    """Reads a text that begins like JSON, broken JSON and JSON lines too."""

    marks = (MARK,)

    def readings(self, data: bytes) -> Iterator[Reading]:
        """One reading with all strings that have an escape, each standing alone; none without any."""
        if JSON_BEGINS.match(data) and b"\\" in data:
            strings = list(_strings(data))
            joined = _BETWEEN.join(data[start:end] for start, end in strings)
            yield Reading(unescaped(joined), partial(_origin, strings, joined))


def _strings(data: bytes) -> Iterator[tuple[int, int]]:
    """Start and end of each string with an escape: before the first escape in it, no other quotation mark stands."""
    end = 0
    escape = data.find(b"\\")
    while escape >= 0:
        start = max(end, data.rfind(b'"', end, escape) + 1)
        rest = _REST.match(data, escape)
        end = rest.end() if rest else len(data)
        yield start, end
        escape = data.find(b"\\", end)


def _origin(strings: Sequence[tuple[int, int]], joined: bytes, offset: int) -> int:
    """Back to before the escapes, then to the string."""
    left = ESCAPES.origin(joined, offset)
    for start, end in strings:
        if left < end - start + len(_BETWEEN):
            return min(start + left, max(start, end - 1))
        left -= end - start + len(_BETWEEN)
    return 0
