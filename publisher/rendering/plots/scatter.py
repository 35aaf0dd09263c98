"""Pass rate against something that is better when it is less: a point for each model and the front of the best."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from dataset.measures.pareto import pareto_front
from publisher.rendering.language.message import Joined, Message, Sayable
from publisher.rendering.plots.axis import ground, percents, side
from publisher.rendering.plots.interface import FEW, WIDTH, Absent, Plot, PlotKey, PlotRow, PlotTable
from publisher.rendering.plots.label import labels_of
from publisher.rendering.plots.marks import Mark, rule, sign, trace, words
from publisher.rendering.plots.placement import Area, beside_points
from publisher.rendering.plots.scale import LogScale, Scale, amount_scale, around, share_scale
from publisher.rendering.plots.subject import RATE_COLUMNS, Rate, Subject

_LEFT, _RIGHT, _TOP, _BOTTOM = 420, WIDTH * 10 - 100, 120, 2500
_HEIGHT = 294
_NAMED = 12


@dataclass(frozen=True, kw_only=True, slots=True)
class Point:
    """A subject that has both numbers: `price` is what should be little, `shown` how it is read."""

    subject: Subject
    price: Decimal
    shown: str | Sayable
    rate: Rate


@dataclass(frozen=True, kw_only=True, slots=True)
class Scatter:
    """What sets one plot apart: `best` says what being on the front means, `column` heads the prices of its table and
    `axis` names them below the plot, whose ticks `ticks` writes."""

    id: str
    title: Sayable
    best: Sayable
    column: Sayable
    axis: Sayable
    ticks: Callable[[Sequence[Decimal]], Sequence[str]]


def scatter(found: Scatter, points: Sequence[Point], subjects: Sequence[Subject], absent: Sequence[Absent]) -> Plot:
    """The plot of two or more points; the table has all `subjects`, in their order."""
    front = pareto_front([(point.price, point.rate.value) for point in points])
    few = len(points) <= FEW
    shares = [share for p in points for share in ((p.rate.low, p.rate.high) if few else (p.rate.value,))]
    x = amount_scale((point.price for point in points), _LEFT + 80, _RIGHT - 100)
    y = share_scale(*around(shares), _BOTTOM, _TOP, every=10 if len(range(*around(shares), 10)) <= 5 else 20)
    axis = Message("%(axis)s (log scale)", axis=found.axis) if isinstance(x, LogScale) else found.axis
    return Plot(
        id=found.id,
        title=found.title,
        description=_description(found, points, front),
        height=_HEIGHT,
        marks=(
            *side(y, _LEFT, _RIGHT, percents(y.ticks)),
            *ground(x, _TOP, _BOTTOM, found.ticks(x.ticks)),
            words("axis", (_LEFT + _RIGHT) // 2, _BOTTOM + 330, axis, anchor="middle"),
            *_drawn(points, front, x, y, few=few),
        ),
        keys=_keys(found, few=few),
        absent=tuple(one for one in absent if one.subjects),
        table=_table(found, points, front, subjects),
    )


def _drawn(points: Sequence[Point], front: Sequence[int], x: Scale, y: Scale, *, few: bool) -> list[Mark]:
    places = [(x.at(point.price), y.at(point.rate.value)) for point in points]
    marks = []
    if few:
        marks += [
            rule("whisker", at, y.at(point.rate.low), at, y.at(point.rate.high))
            for point, (at, _) in zip(points, places, strict=True)
        ]
    line = _stairs([places[number] for number in front])
    if line:
        marks.append(trace("front", line))
    for number, (point, place) in enumerate(zip(points, places, strict=True)):
        title = Joined((point.subject.name, point.subject.rate_cells[0], point.shown)) if few else ""
        best = number in front
        marks.append(sign("best" if best else "other", "diamond" if best else "circle", *place, title=title))
    order = [*front, *(number for number in range(len(points)) if number not in front)]
    area = Area(left=_LEFT, top=0, right=WIDTH * 10, bottom=_BOTTOM + 60)
    labels = labels_of([point.subject for point in points])
    return [*marks, *beside_points(places, labels, order, area, set(front), line)]


def _stairs(corners: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Level until the next is reached: between two models there is none, only the better of those at hand. No line
    without a corner."""
    if not corners:
        return []
    steps = [corners[0]]
    for x, y in corners[1:]:
        steps += [(x, steps[-1][1]), (x, y)]
    return [*steps, (_RIGHT, steps[-1][1])]


def _description(found: Scatter, points: Sequence[Point], front: Sequence[int]) -> Sayable:
    if not front:
        return Message(
            "%(count)s points; pass rate upwards, %(axis)s to the right. Nothing passes, so there is no front.",
            count=len(points),
            axis=found.axis,
        )
    names: Sayable = Joined(tuple(points[number].subject.name for number in front[:_NAMED]))
    if len(front) > _NAMED:
        names = Message("%(names)s and %(count)s more", names=names, count=len(front) - _NAMED)
    return Message(
        "%(count)s points; pass rate upwards, %(axis)s to the right. On the front: %(names)s.",
        count=len(points),
        axis=found.axis,
        names=names,
    )


def _keys(found: Scatter, *, few: bool) -> tuple[PlotKey, ...]:
    keys = (
        PlotKey(text=found.best, mark=sign("best", "diamond", 60, 60)),
        PlotKey(text=Message("the others"), mark=sign("other", "circle", 60, 60)),
    )
    return (
        (*keys, PlotKey(text=Message("95 % interval of the rate"), mark=rule("whisker", 60, 0, 60, 120)))
        if few
        else keys
    )


def _table(found: Scatter, points: Sequence[Point], front: Sequence[int], subjects: Sequence[Subject]) -> PlotTable:
    best = {id(points[number].subject) for number in front}
    shown = {id(point.subject): point.shown for point in points}

    def cells(subject: Subject) -> tuple[str | Sayable, ...]:
        standing = Message("yes") if id(subject) in best else Message("no") if id(subject) in shown else "–"
        return (*subject.rate_cells, shown.get(id(subject), Message("unknown")), standing)

    return PlotTable(
        columns=(*RATE_COLUMNS, found.column, Message("On the front")),
        rows=tuple(PlotRow(subject=subject, cells=cells(subject)) for subject in subjects),
    )
