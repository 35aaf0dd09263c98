"""Quality against latency: what a pass rate costs in time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal

from publisher.rendering.figures import duration
from publisher.rendering.language.message import Message
from publisher.rendering.plots.axis import amounts
from publisher.rendering.plots.interface import Absent, Drawing, NotDrawn
from publisher.rendering.plots.scatter import Point, Scatter, scatter
from publisher.rendering.plots.source import PlotSource
from publisher.rendering.plots.subject import Subject

TITLE = Message("Quality against latency")
_SECOND = Decimal(1000)


def quality_latency(source: PlotSource) -> Sequence[Drawing]:
    """One plot where two or more models have a median latency, not all of them 0."""
    points = [point for point in map(_point, source.models) if point is not None]
    if len(source.models) == 1:
        return [NotDrawn(title=TITLE, reason=Message("there is only one model"))]
    if len(points) < 2:
        return [NotDrawn(title=TITLE, reason=Message("fewer than two models have a valid run"))]
    if not any(point.price for point in points):
        return [NotDrawn(title=TITLE, reason=Message("every latency is 0"))]
    seconds = max(point.price for point in points) >= _SECOND
    kind = Scatter(
        id=f"{source.anchor}-latency",
        title=TITLE,
        best=Message(
            "on the front: none here is both faster and passes more. Point estimates decide, not intervals. "
            "Latency is as recorded by the engine: hardware, load and concurrency aren't recorded."
        ),
        column=Message("Median latency"),
        axis=Message("median latency, seconds") if seconds else Message("median latency, milliseconds"),
        ticks=_in(_SECOND if seconds else Decimal(1)),
    )
    absent = Absent(reason=Message("No valid run"), subjects=tuple(s for s in source.models if _point(s) is None))
    return [scatter(kind, points, source.models, [absent])]


def _point(subject: Subject) -> Point | None:
    latency, rate = subject.measures.metrics["latency-median"], subject.rate
    if latency is None or rate is None:
        return None
    return Point(subject=subject, price=Decimal(latency), shown=duration(latency), rate=rate)


def _in(unit: Decimal) -> Callable[[Sequence[Decimal]], Sequence[str]]:
    return lambda ticks: amounts([tick / unit for tick in ticks])
