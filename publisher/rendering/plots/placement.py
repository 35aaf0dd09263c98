"""Where the words beside points go: around their point where nothing else stands, or nowhere."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from itertools import pairwise

from publisher.rendering.plots.label import room
from publisher.rendering.plots.marks import Anchor, Mark, words

_HEIGHT = 120
_GAP = 80
_REACH = 55
"""How far a point reaches around its middle."""
_STROKE = 10
"""How far a line reaches from its middle."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Area:
    """A rectangle, in tenths of a unit."""

    left: int
    top: int
    right: int
    bottom: int

    def meets(self, other: Area) -> bool:
        """Whether two rectangles share more than an edge."""
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )

    def holds(self, other: Area) -> bool:
        """Whether another lies within this one."""
        return (
            self.left <= other.left
            and self.top <= other.top
            and other.right <= self.right
            and other.bottom <= self.bottom
        )


def beside_points(
    points: Sequence[tuple[int, int]],
    labels: Sequence[str],
    order: Sequence[int],
    area: Area,
    first_above: Container[int],
    line: Sequence[tuple[int, int]] = (),
) -> list[Mark]:
    """The labels that have room within the area, tried in this order of their points: the first come first. Those
    of `first_above` stand rather above or before their point, since a line goes on from it. None crosses the `line`,
    whose pieces are level or upright."""
    taken = [_around(x, y) for x, y in points] + [_along(*ends) for ends in pairwise(line)]
    marks = []
    for number in order:
        for anchor, x, y, needed in _places(*points[number], labels[number], above=number in first_above):
            if area.holds(needed) and not any(needed.meets(other) for other in taken):
                taken.append(needed)
                marks.append(words("name", x, y, labels[number], anchor=anchor))
                break
    return marks


def spread(wanted: Sequence[int], *, least: int, top: int, bottom: int) -> list[int] | None:
    """Places as near to those wanted as they can be with so much between any two; None where they don't all fit."""
    if least * (len(wanted) - 1) > bottom - top:
        return None
    order = sorted(range(len(wanted)), key=lambda number: (wanted[number], number))
    places = [0] * len(wanted)
    next_free = top
    for number in order:
        places[number] = max(wanted[number], next_free)
        next_free = places[number] + least
    next_free = bottom
    for number in reversed(order):
        places[number] = min(places[number], next_free)
        next_free = places[number] - least
    return places


def _around(x: int, y: int) -> Area:
    return Area(left=x - _REACH, top=y - _REACH, right=x + _REACH, bottom=y + _REACH)


def _along(start: tuple[int, int], end: tuple[int, int]) -> Area:
    (left, right), (top, bottom) = sorted((start[0], end[0])), sorted((start[1], end[1]))
    return Area(left=left - _STROKE, top=top - _STROKE, right=right + _STROKE, bottom=bottom + _STROKE)


def _places(x: int, y: int, label: str, *, above: bool) -> list[tuple[Anchor, int, int, Area]]:
    wide = room(label)
    starts: list[tuple[Anchor, int, int, int]] = [
        ("start", x + _GAP, y + 40, x + _GAP),
        ("end", x - _GAP, y + 40, x - _GAP - wide),
        ("middle", x, y - 90, x - wide // 2),
        ("middle", x, y + 165, x - wide // 2),
        ("end", x - 30, y - 90, x - 30 - wide),
        ("start", x + 30, y - 90, x + 30),
        ("end", x - 30, y + 165, x - 30 - wide),
        ("start", x + 30, y + 165, x + 30),
    ]
    return [
        (anchor, at, base, Area(left=left, top=base - _HEIGHT + 20, right=left + wide, bottom=base + 20))
        for anchor, at, base, left in ((starts[2], starts[1], starts[4], *starts) if above else starts)
    ]
