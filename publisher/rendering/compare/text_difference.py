"""What two texts share and what only one of them has, by word; of Chinese, Japanese and Korean by character."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from publisher.rendering.compare.alignment import shared

Kind = Literal["same", "left", "right"]
Segment = tuple[Kind, str]
# The ranges are written out: what a regular expression calls a word changes with Python's table of characters.
_TOKEN = re.compile(
    "[0-9]+(?:[.,][0-9]+)*"
    "|[A-Za-z_\u00c0-\u02af\u0370-\u052f\u0590-\u06ff\u0900-\u0dff][0-9A-Za-z_\u00c0-\u036f\u0370-\u052f\u0590-\u06ff"
    "\u0900-\u0dff]*"
    "|[ \t\r\n]+"
    "|.(?:[\u0300-\u036f\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]|\u200d.)*",
    re.DOTALL,
)
_LINE = re.compile("[^\n]*\n|[^\n]+")
_WEAK = frozenset(" \t\r\n.,;:!?()[]{}\"'`*_-/、，。；：！？（）“”")
_LEAST_SHARED = 5
"""Texts that share less than one in so many characters are told apart as wholes: marks would be all over them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TextDifference:
    """Two texts as one list of segments: those of `left` and `same` make the left text, those of `right` and `same`
    the right one. `related` is false where they share next to nothing."""

    segments: tuple[Segment, ...]
    related: bool

    def of(self, side: Literal["left", "right"]) -> tuple[Segment, ...]:
        """The segments of one text, in order."""
        return tuple(segment for segment in self.segments if segment[0] in ("same", side))


def text_difference(left: str, right: str) -> TextDifference:
    """The difference of two texts."""
    if left == right:
        return TextDifference(segments=(("same", left),) if left else (), related=True)
    segments = _joined(_by_word(left, right) or _by_line(left, right))
    common = sum(len(text) for kind, text in segments if kind == "same" and not _WEAK.issuperset(text))
    related = common > 0 and common * _LEAST_SHARED >= min(len(left), len(right))
    return TextDifference(segments=segments, related=related)


def _by_word(left: str, right: str) -> list[Segment] | None:
    ours, theirs = _TOKEN.findall(left), _TOKEN.findall(right)
    places = shared(ours, theirs)
    return None if places is None else list(_segments(ours, theirs, places))


def _by_line(left: str, right: str) -> list[Segment]:
    """Long texts are compared by line first, and within what differs by word as far as that can be."""
    ours, theirs = _LINE.findall(left), _LINE.findall(right)
    places = shared(ours, theirs) or []
    found: list[Segment] = []
    for same, run in groupby(_segments(ours, theirs, places), key=lambda segment: segment[0] == "same"):
        parts = list(run)
        if same:
            found += parts
            continue
        one, other = ("".join(text for kind, text in parts if kind == side) for side in ("left", "right"))
        found += _by_word(one, other) or _replaced(one, other)
    return found


def _replaced(left: str, right: str) -> list[Segment]:
    return [("left", left), ("right", right)]


def _segments(left: Sequence[str], right: Sequence[str], places: Sequence[tuple[int, int]]) -> Iterator[Segment]:
    before_left = before_right = 0
    for i, j in (*places, (len(left), len(right))):
        if i > before_left:
            yield "left", "".join(left[before_left:i])
        if j > before_right:
            yield "right", "".join(right[before_right:j])
        if i < len(left) and j < len(right):
            yield "same", left[i]
        before_left, before_right = i + 1, j + 1


def _joined(segments: Sequence[Segment]) -> tuple[Segment, ...]:
    """Neighbours of a kind become one. What stands between two differences and is only space or punctuation belongs
    to both of them: nobody reads a text word for word crossed out."""
    found: list[Segment] = []
    runs = [(same, list(run)) for same, run in groupby(segments, key=lambda segment: segment[0] == "same")]
    pending = {"left": "", "right": ""}
    for at, (same, run) in enumerate(runs):
        text = "".join(words for _, words in run)
        if same and 0 < at < len(runs) - 1 and _WEAK.issuperset(text):
            pending["left"] += text
            pending["right"] += text
        elif same:
            found += _flushed(pending)
            found.append(("same", text))
        else:
            for kind, words in run:
                pending[kind] += words
    return (*found, *_flushed(pending))


def _flushed(pending: dict[str, str]) -> Iterator[Segment]:
    for kind in ("left", "right"):
        if pending[kind]:
            yield ("left" if kind == "left" else "right"), pending[kind]
        pending[kind] = ""
