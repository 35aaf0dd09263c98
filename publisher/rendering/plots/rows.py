"""Subjects one below the other: where each row stands, what it is called, and which labels there is room for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from publisher.rendering.language.message import Sayable
from publisher.rendering.plots.interface import FEW
from publisher.rendering.plots.label import clipped, labels_of
from publisher.rendering.plots.marks import Mark, words
from publisher.rendering.plots.subject import Subject

LEFT = 1220
"""Where what is drawn beside the labels begins."""
_THIN = 60
_LABEL = 150


@dataclass(frozen=True, kw_only=True, slots=True)
class Rows:
    """The middle of each row, its height, and everything written at the left; `bottom` is where the last one ends."""

    middles: tuple[int, ...]
    height: int
    bottom: int
    marks: tuple[Mark, ...]

    @property
    def thin(self) -> bool:
        """Whether rows are too many for words of their own."""
        return self.height == _THIN


def rows_of(subjects: Sequence[Subject], top: int, *, height: int) -> Rows:
    """A row each, under a heading wherever one begins; of many, thin ones of which every third bears its label."""
    thin = len(subjects) > FEW
    height, at = (_THIN if thin else height), top
    heading: str | Sayable = ""
    middles: list[int] = []
    marks: list[Mark] = []
    every = -(-_LABEL // height)
    for number, (subject, label) in enumerate(zip(subjects, _labels(subjects), strict=True)):
        if subject.heading != heading:
            heading = subject.heading
            marks.append(words("heading", 0, at + 150, clipped(heading, 42) if isinstance(heading, str) else heading))
            at += 220
        middles.append(at + height // 2)
        if number % every == 0:
            marks.append(words("name", LEFT - 60, at + height // 2 + 40, label, anchor="end"))
        at += height
    return Rows(middles=tuple(middles), height=height, bottom=at, marks=tuple(marks))


def _labels(subjects: Sequence[Subject]) -> list[str]:
    """Under each heading the labels differ; under another they may come again."""
    parts = groupby(subjects, key=lambda subject: subject.heading)
    return [label for _, part in parts for label in labels_of(list(part))]
