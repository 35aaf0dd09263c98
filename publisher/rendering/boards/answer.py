"""The answer that stands above a table: who passes most, what is the best value, and how sure that is, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from dataset.measures.pareto import pareto_front
from dataset.measures.run_price import cost_per_pass
from dataset.measures.statistics.cluster import Cluster, clusters_of
from dataset.measures.statistics.evidence import MIN_CASES
from dataset.measures.statistics.rate import half_width
from publisher.rendering.boards.board import Board, Row
from publisher.rendering.boards.columns import COST, LATENCY, OUTPUT, Column, cost_figure
from publisher.rendering.figures import distance, money, percent
from publisher.rendering.language.message import Joined, Message, Plural, Sayable, marked
from publisher.rendering.visible_text import plain

_NAMED = 3
"""Of more models than so many, the rest are counted."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """What a reader came for. `quality` says who passes most, `value` what that is worth, `sureness` how far to trust
    it; each is one sentence or a few."""

    quality: tuple[Sayable, ...]
    value: tuple[Sayable, ...]
    sureness: tuple[Sayable, ...]


def answer_of(board: Board) -> Answer:
    """The answer for a board, from its numbers alone. Scripts that stand beside models can't be the answer."""
    models = [row for row in board.rows if not row.model.synthetic] or list(board.rows)
    rated = [row for row in models if row.bar is not None]
    if not rated:
        return Answer(
            quality=(Message("No run is valid, so nothing can be said of any model."),), value=(), sureness=()
        )
    return Answer(
        quality=tuple(_quality(board, rated)),
        value=tuple(_value(board, rated)),
        sureness=tuple(_sureness(board, models, rated)),
    )


def _quality(board: Board, rated: Sequence[Row]) -> Iterator[Sayable]:
    best, others = rated[0], len(rated) - 1
    told = {"model": _name(best), "rate": _rate(best), "interval": _interval(best)}
    if len(board.rows) == 1:
        yield Message("One model stands here: %(model)s passes %(rate)s (95 %% CI %(interval)s).", **told)
        return
    if not others:
        yield Message("Only one model has a valid run: %(model)s passes %(rate)s (95 %% CI %(interval)s).", **told)
        return
    if not board.comparisons:
        yield Message(
            "%(model)s passes most: %(rate)s (95 %% CI %(interval)s). So many models aren't tested against one another "
            "here.",
            **told,
        )
        return
    tied = _tied(best, rated)
    if len(tied) == others:
        yield Message(
            "No model can be told apart from the best: %(model)s passes most, %(rate)s (95 %% CI %(interval)s), and "
            "chance may have put it there.",
            **told,
        )
        if len(rated) > 2 and len({row.rank for row in rated}) == 1:
            yield Message("No order among these %(count)s is supported by the evidence.", count=len(rated))
        if not board.tested:
            yield Message("They share fewer than %(cases)s cases, which is too little for a test.", cases=MIN_CASES)
    elif tied:
        yield Message(
            "%(model)s passes most: %(rate)s (95 %% CI %(interval)s). These can't be told apart from it: %(tied)s.",
            **told,
            tied=_names(tied),
        )
    else:
        yield Message(
            "%(model)s passes most: %(rate)s (95 %% CI %(interval)s), significantly more than any other.", **told
        )


def _value(board: Board, rated: Sequence[Row]) -> Iterator[Sayable]:
    passing = [row for row in rated if row.measures.passed]
    if not passing:
        yield Message("Nothing passes, so nothing has a value.")
        return
    priced = _priced(passing)
    paid = {currency: rows for currency, rows in priced.items() if any(map(_cost, rows))}
    for currency, rows in paid.items():
        yield from _worth(board, currency, rows, rated[0], several=len(paid) > 1)
    if not paid:
        yield (
            Message("Every known cost is 0.")
            if priced
            else Message("No cost is known, so value can't be told in money.")
        )
        if any(map(_latency, passing)):
            yield from _in_time(passing)
        return
    unknown = sum(1 for row in rated if cost_figure(row).value is None)
    if unknown:
        yield Plural("The cost of one model is unknown.", "The cost of %(count)s models is unknown.", unknown)


def _priced(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Those whose cost is known, by currency, the one that most were paid for in first: nothing is exchanged."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        if cost_figure(row).value is not None:
            found.setdefault(row.measures.currency or "", []).append(row)
    return dict(sorted(found.items(), key=lambda item: (-len(item[1]), item[0])))


def _worth(board: Board, currency: str, rows: Sequence[Row], best: Row, *, several: bool) -> Iterator[Sayable]:
    choice = min(rows, key=lambda row: (_each(row), -_share(row)))
    told = {
        "model": _name(choice),
        "each": money(str(_each(choice)), currency),
        "cost": cost_figure(choice).text,
        "rate": _rate(choice),
    }
    if several:
        yield Message(
            "Paid for in %(currency)s: %(model)s, at %(each)s for each task passed (100 tasks cost %(cost)s, and "
            "%(rate)s of them pass).",
            **told,
            currency=currency,
        )
    else:
        yield Message(
            "%(model)s, at %(each)s for each task passed: 100 tasks cost %(cost)s, and %(rate)s of them pass.", **told
        )
    if len(rows) > 1:
        yield from _beside_best(board, choice, best)
        front = [rows[place] for place in pareto_front([(_cost(row), _share(row)) for row in rows])]
        yield _front(marked("None is both cheaper and passes more than these: %(models)s."), front, COST)


def _beside_best(board: Board, choice: Row, best: Row) -> Iterator[Sayable]:
    if choice.id == best.id:
        yield Message("It passes most, too.")
    elif not board.comparisons:
        return
    elif choice.id in best.tied_with:
        yield Message("It can't be told apart from the one that passes most.")
    else:
        yield Message("It passes significantly less than the best.")


def _in_time(passing: Sequence[Row]) -> Iterator[Sayable]:
    """What can be had instead where no money was paid: time."""
    yield from _times(passing)
    yield Message("Latency is as recorded by the engine: hardware, load and concurrency aren't recorded.")


def _times(passing: Sequence[Row]) -> Iterator[Sayable]:
    if len(passing) == 1:
        told = {"latency": LATENCY.figure(passing[0]).text, "tokens": OUTPUT.figure(passing[0]).text}
        yield Message("A run takes %(latency)s in the median and gives %(tokens)s output tokens.", **told)
        return
    front = [passing[place] for place in pareto_front([(_latency(row), _share(row)) for row in passing])]
    yield _front(marked("In time, none is both faster and passes more than these: %(models)s."), front, LATENCY)


def _front(told: str, front: Sequence[Row], column: Column) -> Message:
    """The best first."""
    models = [
        Message("%(model)s (%(rate)s, %(price)s)", model=_name(row), rate=_rate(row), price=column.figure(row).text)
        for row in reversed(front)
    ]
    return Message(told, models=_listed(models))


def _sureness(board: Board, models: Sequence[Row], rated: Sequence[Row]) -> Iterator[Sayable]:
    cases, planned = len({run.case_id for row in board.rows for run in row.runs}), board.rows[0].measures.planned
    if planned > cases:
        yield from _sure_of_cases(rated, cases, planned)
    else:
        yield Plural(
            "Each rate is known to ±%(distance)s at worst: one case.",
            "Each rate is known to ±%(distance)s at worst: %(count)s cases, one run of each for each model.",
            cases,
            distance=distance(str(max(_high(row) - _low(row) for row in rated) / 2)),
        )
    broken, total = sum(r.measures.invalid for r in models), sum(r.measures.planned for r in models)
    if broken:
        yield Message("%(broken)s of %(planned)s runs are missing or invalid.", broken=broken, planned=total)


def _sure_of_cases(rated: Sequence[Row], cases: int, planned: int) -> Iterator[Sayable]:
    """Where cases have several runs: those of one case tell less than as many other cases would."""
    widths = [half_width(list(_by_case(row).values())) for row in rated]
    told = [width for width in widths if width is not None]
    if len(told) < len(widths):
        yield Plural(
            "One case, %(planned)s planned runs for each model: too few to generalise beyond it.",
            "%(count)s cases, %(planned)s planned runs for each model: too few to generalise beyond them.",
            cases,
            planned=planned,
        )
        yield Message("The intervals in the table take runs as independent: they speak of these cases alone.")
        return
    yield Message(
        "Each rate is known to ±%(distance)s at worst: %(cases)s cases, %(planned)s planned runs for each model, where "
        "only cases count as independent.",
        distance=distance(str(max(told))),
        cases=cases,
        planned=planned,
    )
    yield Message("The intervals in the table take runs as independent, and may be narrower than that.")


def _by_case(row: Row) -> dict[str, Cluster]:
    return clusters_of((run.case_id, int(run.verdict == "pass")) for run in row.runs if run.verdict != "invalid")


def _tied(best: Row, rated: Sequence[Row]) -> list[Row]:
    tied = set(best.tied_with)
    return [row for row in rated if row.id in tied]


def _names(rows: Sequence[Row]) -> Sayable:
    return _listed([_name(row) for row in rows])


def _listed(names: Sequence[str | Sayable]) -> Sayable:
    more = len(names) - _NAMED
    if more < 2:
        return Joined(tuple(names))
    return Message("%(names)s and %(count)s more", names=Joined(tuple(names[:_NAMED])), count=more)


def _name(row: Row) -> str:
    """On one line, and what can't be seen named: it stands within a sentence."""
    return " ".join(plain(row.model.display_name).split())


def _rate(row: Row) -> str:
    return percent(row.measures.metrics["pass-rate"] or "0")


def _interval(row: Row) -> str:
    return f"{percent(str(_low(row)))} – {percent(str(_high(row)))}"


def _share(row: Row) -> Decimal:
    return Decimal(row.measures.metrics["pass-rate"] or 0)


def _low(row: Row) -> Decimal:
    return Decimal(row.measures.pass_rate_low or 0)


def _high(row: Row) -> Decimal:
    return Decimal(row.measures.pass_rate_high or 1)


def _cost(row: Row) -> Decimal:
    return Decimal(cost_figure(row).value or 0)


def _each(row: Row) -> Decimal:
    return Decimal(cost_per_pass(row.measures) or 0)


def _latency(row: Row) -> Decimal:
    return Decimal(row.measures.metrics["latency-median"] or 0)
