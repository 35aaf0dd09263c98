"""Intervals side by side: how far the pass rates of models, or of the arms of a batch, can be told apart."""

from __future__ import annotations

from collections.abc import Sequence

from publisher.rendering.language.message import Message, Plural
from publisher.rendering.plots.axis import ground, percents
from publisher.rendering.plots.interface import WIDTH, Absent, Drawing, NotDrawn, Plot, PlotKey, PlotRow, PlotTable
from publisher.rendering.plots.marks import Mark, rule, sign, words
from publisher.rendering.plots.rows import LEFT, Rows, rows_of
from publisher.rendering.plots.scale import LinearScale, share_scale
from publisher.rendering.plots.source import PlotSource
from publisher.rendering.plots.subject import RATE_COLUMNS, Subject

TITLE = Message("Intervals side by side")
_TOP = 40


def intervals(source: PlotSource) -> Sequence[Drawing]:
    """One row for each arm where a batch has several of a model, otherwise for each model."""
    arms = len(source.arms) > len(source.models)
    subjects = source.arms if arms else source.models
    rated = [subject for subject in subjects if subject.rate is not None]
    if len(subjects) < 2:
        return [NotDrawn(title=TITLE, reason=Message("there is only one model"))]
    if not rated:
        return [NotDrawn(title=TITLE, reason=Message("no run is valid"))]
    rows = rows_of(rated, _TOP, height=200)
    scale = share_scale(0, 100, LEFT, WIDTH * 10 - 160, every=25)
    absent = Absent(reason=Message("No valid run"), subjects=tuple(s for s in subjects if s.rate is None))
    return [
        Plot(
            id=f"{source.anchor}-intervals",
            title=Message("Intervals side by side: arms") if arms else Message("Intervals side by side: models"),
            description=Plural(
                "One row; a point for the pass rate and a bar for its 95 %% interval.",
                "%(count)s rows; a point for the pass rate and a bar for its 95 %% interval.",
                len(rated),
            ),
            height=rows.bottom // 10 + 38,
            marks=(
                *ground(scale, _TOP, rows.bottom, percents(scale.ticks)),
                words("axis", (LEFT + WIDTH * 10) // 2, rows.bottom + 320, Message("pass rate"), anchor="middle"),
                *rows.marks,
                *_bars(rated, rows, scale),
            ),
            keys=(
                PlotKey(
                    text=Message("pass rate"),
                    mark=rule("value", 60, 20, 60, 100) if rows.thin else sign("best", "circle", 60, 60),
                ),
                PlotKey(
                    text=Message("95 % interval; where two overlap, chance may have ordered them"),
                    mark=rule("interval", 0, 60, 120, 60),
                ),
            ),
            absent=(absent,) if absent.subjects else (),
            table=_table(subjects),
        )
    ]


def _bars(subjects: Sequence[Subject], rows: Rows, scale: LinearScale) -> list[Mark]:
    marks = []
    for subject, y in zip(subjects, rows.middles, strict=True):
        rate = subject.rate
        if rate is None:
            continue
        marks.append(rule("interval", scale.at(rate.low), y, scale.at(rate.high), y))
        x = scale.at(rate.value)
        marks.append(rule("value", x, y - 25, x, y + 25) if rows.thin else sign("best", "circle", x, y))
    return marks


def _table(subjects: Sequence[Subject]) -> PlotTable:
    """With the model of each arm where there are several."""
    headed = any(subject.heading for subject in subjects)
    return PlotTable(
        columns=(*((Message("Model"),) if headed else ()), *RATE_COLUMNS),
        rows=tuple(
            PlotRow(subject=subject, cells=(*((subject.heading,) if headed else ()), *subject.rate_cells))
            for subject in subjects
        ),
    )
