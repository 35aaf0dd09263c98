"""Backslash escapes outside JSON: source code, logs, and what JSON strings hold once they are decoded."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from publisher.scanning.layers.backslash import ESCAPES, MARK, unescaped
from publisher.scanning.layers.json_strings import JSON_BEGINS
from publisher.scanning.layers.spans import spans
from publisher.scanning.text import Reading

# From so many escapes on, a text is read as a whole: looking for each would take longer.
MANY = 32


class Escapes:
    """Reads what stands around the escapes of a text. The escapes of JSON are left to `JsonStrings`."""

    marks = (MARK,)

    def readings(self, data: bytes) -> Iterator[Reading]:
        """One reading for each part of the text that reads differently."""
        if JSON_BEGINS.match(data):
            return
        for start, end in [(0, len(data))] if data.count(b"\\") >= MANY else spans(data, (MARK,)):
            part = data[start:end]
            yield Reading(unescaped(part), partial(_origin, part, start))


def _origin(part: bytes, start: int, offset: int) -> int:
    return start + ESCAPES.origin(part, offset)
