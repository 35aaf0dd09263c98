"""Reliability: the chance that all of k tries pass (pass^k), over k. A line that falls says that luck had a part."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from dataset.measures.statistics.repeats import RepeatStatistics
from publisher.rendering.figures import percent
from publisher.rendering.language.message import Message, Plural, Sayable
from publisher.rendering.plots.axis import percents, side
from publisher.rendering.plots.interface import Absent, Drawing, NotDrawn, Plot, PlotKey, PlotRow, PlotTable
from publisher.rendering.plots.label import labels_of
from publisher.rendering.plots.marks import SHAPES, Mark, rule, sign, trace, words
from publisher.rendering.plots.placement import spread
from publisher.rendering.plots.scale import share_scale
from publisher.rendering.plots.source import PlotSource
from publisher.rendering.plots.subject import Subject

TITLE = Message("Reliability: pass^k over k")
WITHHELD = Message("pass^k withheld, valid repeats are missing")
_LEFT, _RIGHT, _TOP, _BOTTOM = 420, 1900, 120, 2400
_SIGNED = 10
"""Up to so many lines each has signs and a dash of its own."""
_LINE = 140
_MOST_TICKS = 8


def reliability(source: PlotSource) -> Sequence[Drawing]:
    """A line for each model with pass^k for two k or more."""
    if source.repeats < 2:
        return [
            NotDrawn(title=TITLE, reason=Message("each case was tried once, so nothing shows how often all tries pass"))
        ]
    if all(subject.repeats is None for subject in source.models):
        return [NotDrawn(title=TITLE, reason=Message("the report is from before it held statistics"))]
    drawn = [subject for subject in source.models if len(_points(subject)) > 1]
    if not drawn:
        return [NotDrawn(title=TITLE, reason=Message("valid repeats are missing, so pass^k is withheld"))]
    missing = tuple(subject for subject in source.models if len(_points(subject)) < 2)
    return [
        Plot(
            id=f"{source.anchor}-reliability",
            title=TITLE,
            description=Plural(
                "One line over k from 1 to %(last)s; upwards the chance that all of k tries of a case pass, as a mean "
                "over cases.",
                "%(count)s lines, one a model, over k from 1 to %(last)s; upwards the chance that all of k tries of a "
                "case pass, as a mean over cases.",
                len(drawn),
                last=source.repeats,
            ),
            height=284,
            marks=(*_axes(source.repeats), *_lines(drawn, source.repeats)),
            keys=(PlotKey(text=Message("pass^1 is the pass rate; a flat line passes the same cases each time")),),
            absent=(Absent(reason=Message("pass^k withheld, valid repeats are missing"), subjects=missing),)
            if missing
            else (),
            table=_table(source),
        )
    ]


def _points(subject: Subject) -> list[tuple[int, Decimal]]:
    return [(found.k, Decimal(found.pass_hat_k)) for found in subject.repeats or () if found.pass_hat_k is not None]


def _at(k: int, repeats: int) -> int:
    return _LEFT + 80 + (_RIGHT - _LEFT - 160) * (k - 1) // (repeats - 1)


def _axes(repeats: int) -> list[Mark]:
    scale = share_scale(0, 100, _BOTTOM, _TOP, every=20)
    marks = side(scale, _LEFT, _RIGHT, percents(scale.ticks))
    for k in range(1, repeats + 1, -(-repeats // _MOST_TICKS)):
        x = _at(k, repeats)
        marks += [rule("grid", x, _TOP, x, _BOTTOM), words("tick", x, _BOTTOM + 150, str(k), anchor="middle")]
    return [
        *marks,
        words("axis", (_LEFT + _RIGHT) // 2, _BOTTOM + 330, Message("k tries, all of which pass"), anchor="middle"),
    ]


def _lines(subjects: Sequence[Subject], repeats: int) -> list[Mark]:
    scale = share_scale(0, 100, _BOTTOM, _TOP, every=20)
    signed = len(subjects) <= _SIGNED
    marks, ends = [], []
    for number, subject in enumerate(subjects):
        places = [(_at(k, repeats), scale.at(chance)) for k, chance in _points(subject)]
        marks.append(trace(f"line dash-{number % 3}" if signed else "line many", places))
        if signed:
            marks += [sign("other", SHAPES[number % len(SHAPES)], x, y) for x, y in places]
        ends.append(places[-1])
    return [*marks, *_names(subjects, ends, signed=signed)]


def _names(subjects: Sequence[Subject], ends: Sequence[tuple[int, int]], *, signed: bool) -> list[Mark]:
    """Every name beside the end of its line, moved apart and led to it; of too many only as many as have room."""
    labels = labels_of(subjects)
    heights = spread([y for _, y in ends], least=_LINE, top=_TOP, bottom=_BOTTOM)
    marks: list[Mark] = []
    taken: list[int] = []
    for number, ((x, y), label) in enumerate(zip(ends, labels, strict=True)):
        at = y if heights is None else heights[number]
        if any(abs(at - other) < _LINE for other in taken):
            continue
        taken.append(at)
        marks += [rule("lead", x, y, _RIGHT + 40, at), words("name", _RIGHT + 170, at + 40, label)]
        if signed:
            marks.append(sign("other", SHAPES[number % len(SHAPES)], _RIGHT + 100, at))
    return marks


def _table(source: PlotSource) -> PlotTable:
    def cells(subject: Subject) -> tuple[str | Sayable, ...]:
        found = {one.k: one for one in subject.repeats or ()}
        return (*(_cell(found.get(k)) for k in range(1, source.repeats + 1)), subject.valid)

    return PlotTable(
        columns=(*(f"pass^{k}" for k in range(1, source.repeats + 1)), Message("Valid / planned")),
        rows=tuple(PlotRow(subject=subject, cells=cells(subject)) for subject in source.models),
    )


def _cell(found: RepeatStatistics | None) -> str | Sayable:
    if found is None or found.pass_hat_k is None:
        return Message("withheld")
    return percent(found.pass_hat_k)
