"""Context strategy against budget: what each strategy makes of each budget, in pass rate and in tokens given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal

from dataset.questions.variant import Variant
from publisher.rendering.batches.arm_grid import Grid
from publisher.rendering.batches.group import Group
from publisher.rendering.figures import grouped
from publisher.rendering.language.message import Message, Sayable
from publisher.rendering.plots.axis import ground, percents
from publisher.rendering.plots.interface import Absent, Drawing, NotDrawn, Plot, PlotKey, PlotRow, PlotTable
from publisher.rendering.plots.marks import Mark, box, rule, sign, words
from publisher.rendering.plots.rows import LEFT, Rows, rows_of
from publisher.rendering.plots.scale import amount_scale, share_scale
from publisher.rendering.plots.source import ArmGrid, PlotSource
from publisher.rendering.plots.subject import RATE_COLUMNS, Subject

TITLE = Message("Context strategy against budget")
AXES = ("context strategy", "context budget")
_MIDDLE, _TOKENS, _END = 2080, 2260, 2720
_TOP = 200


def context_budget(source: PlotSource) -> Sequence[Drawing]:
    """A plot for each table of arms that differ in strategy and budget and in nothing else."""
    grids = [found for found in source.grids if (found.grid.down, found.grid.across) == AXES]
    if not grids:
        return [NotDrawn(title=TITLE, reason=Message("the arms don't differ in both context strategy and budget"))]
    return [_plot(source, number, found) for number, found in enumerate(grids, start=1)]


def _plot(source: PlotSource, number: int, found: ArmGrid) -> Drawing:
    title = Message("Context strategy against budget: %(which)s", which=found.title) if found.title else TITLE
    arms = list(_arms(found.grid))
    rated = [arm for arm in arms if arm.rate is not None]
    if not rated:
        return NotDrawn(title=title, reason=Message("no run is valid"))
    rows = rows_of(rated, _TOP, height=190)
    absent = tuple(arm for arm in arms if arm.rate is None)
    return Plot(
        id=f"{source.anchor}-context-{number}",
        title=title,
        description=Message(
            "A row for each budget under each strategy: left the pass rate with its 95 % interval, right the tokens of "
            "context that the model was given, per valid run."
        ),
        height=rows.bottom // 10 + 20,
        marks=(
            words("axis", (LEFT + _MIDDLE) // 2, _TOP - 80, Message("pass rate"), anchor="middle"),
            words("axis", _TOKENS, _TOP - 80, Message("context tokens")),
            *rows.marks,
            *_rates(rated, rows),
            *_tokens(rated, rows),
        ),
        keys=(
            PlotKey(text=Message("pass rate"), mark=sign("best", "circle", 60, 60)),
            PlotKey(text=Message("95 % interval"), mark=rule("interval", 0, 60, 120, 60)),
            PlotKey(text=Message("context tokens"), mark=box("given", 0, 30, 120, 60)),
            PlotKey(text=Message("Rows: budget in tokens, − those kept free")),
        ),
        absent=(Absent(reason=Message("No valid run"), subjects=absent),) if absent else (),
        table=PlotTable(
            columns=(Message("Strategy"), *RATE_COLUMNS, Message("Context tokens")),
            rows=tuple(
                PlotRow(
                    subject=arm, cells=(arm.heading, *arm.rate_cells, _shown(_given(arm), Message("no context opened")))
                )
                for arm in arms
            ),
        ),
    )


def _arms(grid: Grid) -> Iterator[Subject]:
    for row in grid.rows:
        found = [(group, group.variant) for cell in row.cells for group in cell if group.variant is not None]
        found.sort(key=lambda arm: (arm[1].context_budget, arm[1].opening_budget))
        yield from (_arm(row.label, group, variant) for group, variant in found)


def _arm(strategy: str | Sayable, group: Group, variant: Variant) -> Subject:
    kept = f" − {grouped(variant.context_reserve)}" if variant.context_reserve else ""
    return Subject(
        name=f"{grouped(variant.context_budget)}{kept}",
        place=variant.id,
        href=f"#{group.anchor}",
        measures=group.measures,
        heading=strategy,
    )


def _given(arm: Subject) -> str | None:
    return arm.measures.metrics.get("context-tokens")


def _shown(tokens: str | None, missing: Sayable) -> str | Sayable:
    return missing if tokens is None else grouped(tokens)


def _rates(arms: Sequence[Subject], rows: Rows) -> list[Mark]:
    scale = share_scale(0, 100, LEFT, _MIDDLE, every=50)
    marks = ground(scale, _TOP, rows.bottom, percents(scale.ticks))
    for arm, y in zip(arms, rows.middles, strict=True):
        if arm.rate is not None:
            marks.append(rule("interval", scale.at(arm.rate.low), y, scale.at(arm.rate.high), y))
            marks.append(sign("best", "circle", scale.at(arm.rate.value), y))
    return marks


def _tokens(arms: Sequence[Subject], rows: Rows) -> list[Mark]:
    scale = amount_scale([Decimal(_given(arm) or 0) for arm in arms], 0, _END - _TOKENS)
    marks = [rule("grid", _TOKENS, _TOP, _TOKENS, rows.bottom)]
    for arm, y in zip(arms, rows.middles, strict=True):
        wide = scale.at(Decimal(_given(arm) or 0))
        if _given(arm) is not None:
            marks.append(box("given", _TOKENS, y - 40, wide, 80))
        if not rows.thin:
            marks.append(words("count", _TOKENS + wide + 30, y + 40, _shown(_given(arm), Message("none"))))
    return marks
