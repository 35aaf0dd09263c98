"""The words beside a point: short enough to stand there, and each of them its own."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Sequence

from publisher.rendering.plots.subject import Subject
from publisher.rendering.visible_text import plain

LETTER = 78
"""The room of a letter, in tenths of a unit; one of Chinese and whatever stands beyond it in Unicode takes two."""
_WIDE_FROM = 0x1100
_MOST = 15
_TAIL = 6
_BRACKETS = re.compile(r" \([^()]*\)$")


def room(text: str) -> int:
    """About how wide a text is, in tenths of a unit."""
    return LETTER * _letters(text)


def clipped(text: str, most: int = _MOST) -> str:
    """A text in one line of at most so many letters, without its middle where it is longer: names of one family
    differ in their ends. What can't be seen is named before it is cut."""
    line = " ".join(plain(text).split())
    if _letters(line) <= most:
        return line
    tail = (most - 1) // 3
    return f"{_fitting(line, most - 1 - tail).rstrip()}…{_ending(line, tail)}"


def labels_of(subjects: Sequence[Subject]) -> tuple[str, ...]:
    """A label for each: the name where it is short, otherwise what of it is like no other's, and at last its number."""
    lines = [" ".join(plain(subject.name).split()) for subject in subjects]
    common = _common(lines)
    ways = [
        [_short(line, common) for line in lines],
        [clipped(line) for line in lines],
        [line if _letters(line) <= _MOST else f"…{_ending(line, _MOST - 1)}" for line in lines],
        [
            f"{clipped(line, _MOST - _TAIL - 2)} …{subject.place[-_TAIL:]}"
            for line, subject in zip(lines, subjects, strict=True)
        ],
    ]
    counts = [Counter(way) for way in ways]
    return tuple(
        next(
            (way[number] for way, count in zip(ways, counts, strict=True) if count[way[number]] == 1),
            f"{clipped(line, _MOST - 5)} #{number + 1}",
        )
        for number, line in enumerate(lines)
    )


def _short(line: str, common: Container[str]) -> str:
    """A name without what tells least: what stands in brackets at its end, then words that most others have too."""
    bare = _BRACKETS.sub("", line) or line
    first, *words = bare.split() or [""]
    core = " ".join([first, *(word for word in words if word not in common)])
    return next((way for way in (line, bare, core) if _letters(way) <= _MOST), clipped(core))


def _common(lines: Sequence[str]) -> Container[str]:
    """The words of more than half of several names."""
    found = Counter(word for line in lines for word in set(line.split()))
    return {word for word, count in found.items() if count > 1 and 2 * count > len(lines)}


def _letters(text: str) -> int:
    return sum(1 if ord(character) < _WIDE_FROM else 2 for character in text)


def _fitting(text: str, most: int) -> str:
    taken = 0
    for place, character in enumerate(text):
        taken += _letters(character)
        if taken > most:
            return text[:place]
    return text


def _ending(text: str, most: int) -> str:
    return _fitting(text[::-1], most)[::-1].lstrip()
