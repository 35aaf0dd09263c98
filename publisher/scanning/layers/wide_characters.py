"""Texts in UTF-16 or UTF-32, with or without a byte order mark that may lie."""

from __future__ import annotations

import re
from collections.abc import Iterator

from publisher.scanning.text import Reading

# UTF-16 of Latin letters is half NUL; fewer are a sign of a binary file.
NUL_SHARE = 4
_MARK = re.compile(rb"[ -~\t\n\r]\x00{1,3}[ -~\t\n\r]\x00")
_BIG_ENDIAN_MARK = re.compile(rb"\x00[ -~\t\n\r]\x00{1,3}[ -~\t\n\r]")


class WideCharacters:
    """Reads past the NULs: what a rule looks for is ASCII, and every second byte of it is NUL in UTF-16."""

    marks = (_MARK, _BIG_ENDIAN_MARK)

    def readings(self, data: bytes) -> Iterator[Reading]:
        """The text without NULs, where a quarter or more are NULs."""
        if data.count(0) * NUL_SHARE >= max(1, len(data)):
            yield Reading(data.replace(b"\0", b""), lambda at: _nth_other(data, at))


def _nth_other(data: bytes, number: int) -> int:
    """Where the byte `number` of `data` stands if NULs aren't counted."""
    at = -1
    for _ in range(number + 1):
        at += 1
        while at < len(data) and not data[at]:
            at += 1
    return min(at, max(0, len(data) - 1))
