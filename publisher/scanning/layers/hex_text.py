"""Text in hexadecimal."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from publisher.scanning.layers.runs import Runs
from publisher.scanning.text import Reading

# Twelve bytes of ASCII text; a digest of 64 digits looks like it once in some thousands.
MARK = re.compile(rb"(?:[2-7][0-9a-fA-F]|0[9aAdD]){12}")
# U+200B and its like, and characters in full width, which leave no twelve bytes of ASCII in a row.
ODD_MARK = re.compile(
    rb"[eE]2(?:80(?:8[b-fB-F]|[aA][a-eA-E])|81[aA][0-9a-fA-F])|[eE][fF][bB][bB][bB][fF]"
    rb"|(?:[eE][fF][bB][cCdD][89abAB][0-9a-fA-F]){2}"
)
_MARK_ANYWHERE = re.compile(rb"(?=(?:[2-7][0-9a-fA-F]|0[9aAdD]){12})")
_RUNS = Runs(b"0123456789abcdefABCDEF", 24, re.compile(rb"[0-9a-fA-F]{24,}"))


class HexText:
    """Reads runs of hex digits that hold twelve characters of ASCII text or more."""

    marks = (MARK, ODD_MARK)

    def readings(self, data: bytes) -> Iterator[Reading]:
        """One reading for each run and alignment."""
        for run in _RUNS.find(data):
            start, digits = run.start(), run[0].decode()
            for alignment in _alignments(run[0]):
                whole = digits[alignment : len(digits) - (len(digits) - alignment) % 2]
                first = start + alignment
                yield Reading(bytes.fromhex(whole), lambda at, first=first: first + 2 * at)  # type: ignore[misc]


def _alignments(run: bytes) -> Iterable[int]:
    """Where bytes may begin in a run; nowhere, if it holds no text."""
    if ODD_MARK.search(run):
        return range(2)
    return sorted({mark.start() % 2 for mark in _MARK_ANYWHERE.finditer(run)})
