"""Sentences and clauses of English and Chinese text, and the language a piece is in."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from dataset.record import Locale

REACH = 200
"""How far a cue may stand from what it speaks about; it also bounds the work on text without punctuation."""

_END = re.compile(
    r"(?:[。！？!?；…]{1,9}|\.{1,9}(?=[\s\"'”’)\]*_]|$))[\"'”’」』）)\]*_]{0,4}|[\n\r\x0b\x0c\x85\u2028\u2029]"
)
_LEAD = re.compile(r"[\s>]*(?:[-*•#]{1,6}\s+|\(?\d{1,2}[.)、）]\s*)?")
_CLAUSE = re.compile(
    r"[.!?](?=\s|$)|[。！？\n]|[,;:，；：—]|\s[-–]\s|\b(?:but|however|yet|although|though|because|so|instead)\b"
    r"|\band\b(?=\s(?:I|we|you|your|it|the|this)\b)|但是?|不过|然而|而且|所以|因此",
    re.IGNORECASE,
)
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_LATIN = re.compile(r"[A-Za-z]")


class Sentence(NamedTuple):
    """A sentence without the blank space, bullet or list number before it; offsets are those of the whole text."""

    text: str
    start: int
    end: int


def sentences(text: str) -> Iterator[Sentence]:
    """The sentences in order; a line break always ends one."""
    start = 0
    for match in _END.finditer(text):
        yield from _sentence(text, start, match.end())
        start = match.end()
    yield from _sentence(text, start, len(text))


def _sentence(text: str, start: int, end: int) -> Iterator[Sentence]:
    lead = _LEAD.match(text, start, end)
    begin = lead.end() if lead else start
    body = text[begin:end].rstrip()
    if body:
        yield Sentence(body, begin, begin + len(body))


class Clauses:
    """Where the clauses of a text begin and end; a comma inside a number ends none."""

    def __init__(self, text: str) -> None:
        self._text = text
        cuts = [match.span() for match in _CLAUSE.finditer(text) if not _inside_number(text, *match.span())]
        self._starts = [start for start, _ in cuts]
        self._ends = [end for _, end in cuts]

    def around(self, start: int, end: int) -> str:
        """The clause or clauses that hold `text[start:end]`, at most REACH characters on either side."""
        left, right = self.bounds(start, end)
        return self._text[left:right]

    def bounds(self, start: int, end: int) -> tuple[int, int]:
        """The offsets of what `around` returns."""
        before = bisect_right(self._ends, start)
        after = bisect_left(self._starts, end)
        left = self._ends[before - 1] if before else 0
        right = self._starts[after] if after < len(self._starts) else len(self._text)
        return max(left, start - REACH), min(right, end + REACH)


def _inside_number(text: str, start: int, end: int) -> bool:
    return text[start - 1 : start].isdecimal() and text[end : end + 1].isdecimal()


def language_of(text: str, default: Locale) -> Locale:
    """Chinese where there is any Chinese character, English where there are only Latin letters, else `default`."""
    if _HAN.search(text):
        return "zh"
    return "en" if _LATIN.search(text) else default
