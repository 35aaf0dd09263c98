"""Why runs failed: for each model and kind of failed assertion a bar for its share of the valid runs.

Bars stand side by side and not on each other, since a run that fails for two reasons counts under both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from decimal import Decimal

from publisher.rendering.language.message import Joined, Message, Plural, Sayable
from publisher.rendering.plots.interface import WIDTH, Absent, Drawing, NotDrawn, Plot, PlotKey, PlotRow, PlotTable
from publisher.rendering.plots.marks import Mark, box, words
from publisher.rendering.plots.rows import LEFT, Rows, rows_of
from publisher.rendering.plots.scale import LinearScale, share_scale
from publisher.rendering.plots.source import PlotSource
from publisher.rendering.plots.subject import Subject

TITLE = Message("Why runs failed")
LETTERS = "ABCDEF"
"""A column for each of the most common kinds; the table has all kinds."""
_WIDEST = 800
_GAP = 60
_TOP = 200


def failure_reasons(source: PlotSource) -> Sequence[Drawing]:
    """A row for each model with a valid run, a column for each of the six kinds that the most runs show."""
    valid = [subject for subject in source.models if subject.measures.valid]
    if not valid:
        return [NotDrawn(title=TITLE, reason=Message("no run is valid"))]
    total = Counter[str]()
    for subject in valid:
        total.update(subject.failing)
    if not total:
        return [NotDrawn(title=TITLE, reason=Message("no valid run failed"))]
    kinds = sorted(total, key=lambda kind: (-total[kind], kind))
    shown = kinds[: len(LETTERS)]
    rows = rows_of(valid, _TOP, height=200)
    absent = tuple(subject for subject in source.models if not subject.measures.valid)
    return [
        Plot(
            id=f"{source.anchor}-failures",
            title=TITLE,
            description=Plural(
                "One row; in each column a bar for the share of valid runs that failed for one reason. A full bar is "
                "every valid run. Columns: %(kinds)s.",
                "%(count)s rows, one a model; in each column a bar for the share of its valid runs that failed for one "
                "reason. A full bar is every valid run. Columns: %(kinds)s.",
                len(valid),
                kinds=Joined(tuple(shown)),
            ),
            height=rows.bottom // 10 + 6,
            marks=(*_heads(shown), *rows.marks, *_bars(valid, shown, rows)),
            keys=_keys(shown, total, len(kinds)),
            absent=(Absent(reason=Message("No valid run"), subjects=absent),) if absent else (),
            table=PlotTable(
                columns=(Message("Failed"), Message("Valid / planned"), Message("Runs by reason")),
                rows=tuple(PlotRow(subject=subject, cells=_cells(subject)) for subject in source.models),
            ),
        )
    ]


def _keys(shown: Sequence[str], total: Counter[str], kinds: int) -> tuple[PlotKey, ...]:
    named = tuple(
        PlotKey(letter=letter, text=Plural("%(kind)s: one run", "%(kind)s: %(count)s runs", total[kind], kind=kind))
        for letter, kind in zip(LETTERS, shown, strict=False)
    )
    bar = PlotKey(
        text=Message("share of valid runs; a run counts under each of its reasons"), mark=box("failing", 0, 30, 120, 60)
    )
    more = kinds - len(shown)
    told = Plural("one more kind in the table", "%(count)s more kinds in the table", more)
    rest = (PlotKey(text=told),) if more else ()
    return (bar, *named, *rest)


def _column(columns: int) -> int:
    return min((WIDTH * 10 - LEFT) // columns, _WIDEST)


def _heads(shown: Sequence[str]) -> list[Mark]:
    wide = _column(len(shown))
    return [
        words("heading", LEFT + wide * number, _TOP - 60, letter)
        for number, letter in zip(range(len(shown)), LETTERS, strict=False)
    ]


def _bars(subjects: Sequence[Subject], shown: Sequence[str], rows: Rows) -> list[Mark]:
    wide = _column(len(shown))
    scale = share_scale(0, 100, 0, wide - _GAP, every=100)
    return [
        mark
        for subject, y in zip(subjects, rows.middles, strict=True)
        for column, kind in enumerate(shown)
        for mark in _cell(subject, subject.failing.get(kind, 0), LEFT + wide * column, y, scale, thin=rows.thin)
    ]


def _cell(subject: Subject, runs: int, left: int, y: int, scale: LinearScale, *, thin: bool) -> list[Mark]:
    wide = scale.at(Decimal(runs) / subject.measures.valid)
    if thin:
        return [box("failing", left, y - 20, wide, 40)] if wide else []
    bar = [box("failing", left, y + 30, wide, 50)] if wide else []
    return [box("track", left, y + 30, scale.end, 50), *bar, words("count", left, y + 5, f"{runs:,}")]


def _cells(subject: Subject) -> tuple[str | Sayable, ...]:
    found = subject.measures
    reasons = Joined(tuple(f"{kind} {runs:,}" for kind, runs in subject.failing.items()))
    return f"{found.failed:,}", subject.valid, reasons if subject.failing else "–"
