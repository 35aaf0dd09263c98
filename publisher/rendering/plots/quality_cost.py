"""Quality against cost: what a pass rate is bought with. One plot a currency, since nothing is exchanged here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from decimal import Decimal

from dataset.measures.run_price import cost_per_hundred
from publisher.rendering.figures import money
from publisher.rendering.language.message import Message
from publisher.rendering.plots.axis import amounts
from publisher.rendering.plots.interface import Absent, Drawing, NotDrawn
from publisher.rendering.plots.scatter import Point, Scatter, scatter
from publisher.rendering.plots.source import PlotSource
from publisher.rendering.plots.subject import Subject

TITLE = Message("Quality against cost")


def quality_cost(source: PlotSource) -> Sequence[Drawing]:
    """A plot for each currency in which two or more models of a known pass rate were paid for, and not only with 0."""
    points = [point for point in map(_point, source.models) if point is not None]
    held = Counter(str(point.subject.measures.currency) for point in points)
    shared = sorted((currency for currency, count in held.items() if count > 1), key=lambda c: (-held[c], c))
    plots = [_plot(source, currency, points) for currency in shared if _paid(points, currency)]
    return plots or [NotDrawn(title=TITLE, reason=_reason(source, points, bool(shared)))]


def _currency(subject: Subject) -> str | None:
    """What a subject was paid for in; None where its cost isn't known."""
    return None if cost_per_hundred(subject.measures) is None else subject.measures.currency


def _point(subject: Subject) -> Point | None:
    cost, rate, currency = cost_per_hundred(subject.measures), subject.rate, subject.measures.currency
    if cost is None or rate is None or currency is None:
        return None
    return Point(subject=subject, price=Decimal(cost), shown=money(cost, currency), rate=rate)


def _paid(points: Sequence[Point], currency: str) -> bool:
    return any(point.price for point in points if point.subject.measures.currency == currency)


def _plot(source: PlotSource, currency: str, points: Sequence[Point]) -> Drawing:
    kind = Scatter(
        id=f"{source.anchor}-cost-{currency.lower()}",
        title=TITLE
        if len({point.subject.measures.currency for point in points}) == 1
        else Message("Quality against cost, in %(currency)s", currency=currency),
        best=Message("on the front: none here is both cheaper and passes more. Point estimates decide, not intervals."),
        column=Message("Cost per 100 tasks"),
        axis=Message("cost per 100 tasks, %(currency)s", currency=currency),
        ticks=amounts,
    )
    paid: dict[str | None, list[Subject]] = {}
    for subject in source.models:
        paid.setdefault(_currency(subject), []).append(subject)
    others = sorted(other for other in paid if other is not None and other != currency)
    return scatter(
        kind,
        [point for point in points if point.subject.measures.currency == currency],
        [subject for subject in source.models if _currency(subject) in (currency, None)],
        [
            Absent(reason=Message("Cost unknown"), subjects=tuple(paid.get(None, ()))),
            *(
                Absent(reason=Message("Paid for in %(currency)s", currency=other), subjects=tuple(paid[other]))
                for other in others
            ),
            Absent(reason=Message("No valid run"), subjects=tuple(s for s in paid[currency] if s.rate is None)),
        ],
    )


def _reason(source: PlotSource, points: Sequence[Point], shared: bool) -> Message:
    if len(source.models) == 1:
        return Message("there is only one model")
    if shared:
        return Message("every known cost is 0")
    if len(points) > 1:
        return Message("no two models were paid for in one currency")
    if points:
        return Message("only one model has both a known cost and a valid run")
    return Message("no model has both a known cost and a valid run")
