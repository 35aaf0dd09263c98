"""Which of several choices are beaten by none: the Pareto front of a value against a price."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal


def pareto_front(points: Sequence[tuple[Decimal, Decimal]]) -> tuple[int, ...]:
    """The places, in `points`, of those (price, value) that no other point beats, cheapest first.

    One point beats another if it is at least as good in both (a lower price, a higher value) and better in one; equal
    points beat each other in nothing, so all of them stand. What has no value (0 or less) is no choice, however cheap:
    it never stands. The estimates alone are compared, not their intervals.
    """
    order = sorted(range(len(points)), key=lambda place: (points[place][0], -points[place][1], place))
    front: list[int] = []
    for place in order:
        price, value = points[place]
        if value <= 0:
            continue
        if not front or value > points[front[-1]][1] or (price, value) == points[front[-1]]:
            front.append(place)
    return tuple(front)
