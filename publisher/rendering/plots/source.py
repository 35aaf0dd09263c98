"""What the plots of one page section are made from: the numbers of reports that may stand side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dataset.measures.failing import failing_runs
from dataset.measures.statistics.repeats import RepeatStatistics
from dataset.record import BatchId
from publisher.projection.report import Report
from publisher.rendering.batches.arm_grid import Grid
from publisher.rendering.batches.group import Group
from publisher.rendering.batches.view import BatchView, ModelPart
from publisher.rendering.boards.board import Board, Row
from publisher.rendering.language.message import Joined, Message, Sayable
from publisher.rendering.page_names import batch_model_page
from publisher.rendering.plots.subject import Subject


@dataclass(frozen=True, kw_only=True, slots=True)
class ArmGrid:
    """A table of one model's arms by strategy and budget; `title` tells it from the others of its batch."""

    title: str | Sayable
    grid: Grid


@dataclass(frozen=True, kw_only=True, slots=True)
class PlotSource:
    """Models by pass rate, each with the same template, bank and judge. `anchor` begins every id, and `name` tells the
    tables from those of other sections of the page; `repeats` is how often each case was planned. Only a batch has
    `arms`, of each model in the order of the report."""

    anchor: str
    name: str | Message
    repeats: int
    models: tuple[Subject, ...]
    arms: tuple[Subject, ...] = ()
    grids: tuple[ArmGrid, ...] = ()


def board_source(board: Board, reports: Mapping[BatchId, Report]) -> PlotSource:
    """The rows of a leaderboard's table; `reports` are those of its batches, or more."""
    definition = board.definition
    template = definition.template
    return PlotSource(
        anchor=board.anchor,
        name=Message(
            "%(template)s, bank %(bank)s, judge %(judge)s",
            template=f"{template.id}@{template.version}",
            bank=definition.bank_hash[:8],
            judge=definition.judge_version,
        ),
        repeats=template.repeats,
        models=tuple(_row(row, reports[row.batch_id]) for row in board.rows),
    )


def batch_source(view: BatchView) -> PlotSource | None:
    """The models and arms of one batch; None for a withdrawn one."""
    if view.withdrawn:
        return None
    report = view.report
    several = len(view.models) > 1
    return PlotSource(
        anchor="batch",
        name="",
        repeats=report.definition.template.repeats,
        models=tuple(_whole(part, report) for part in view.models),
        arms=tuple(_arm(group, heading=several) for part in view.models for group in part.groups),
        grids=tuple(grid for part in view.models for grid in _grids(part, several=several)),
    )


def _row(row: Row, report: Report) -> Subject:
    return Subject(
        name=row.model.display_name,
        place=f"{row.model.key} {row.batch_id}",
        href=batch_model_page(row.batch_id, row.model.key),
        measures=row.measures,
        failing=failing_runs(run for run in report.runs if run.model_key == row.model.key),
        repeats=_repeats(report).get(row.model.key),
    )


def _whole(part: ModelPart, report: Report) -> Subject:
    return Subject(
        name=part.model.display_name,
        place=part.model.key,
        href=f"#{part.whole.anchor}",
        measures=part.whole.measures,
        failing=failing_runs(part.whole.runs),
        repeats=_repeats(report).get(part.model.key),
    )


def _arm(group: Group, *, heading: bool) -> Subject:
    return Subject(
        name=group.variant.id if group.variant is not None else group.model.display_name,
        place=group.model.key,
        href=f"#{group.anchor}",
        measures=group.measures,
        heading=group.model.display_name if heading else "",
    )


def _grids(part: ModelPart, *, several: bool) -> Sequence[ArmGrid]:
    name = part.model.display_name
    return [
        ArmGrid(
            title=Joined(names) if (names := tuple(filter(None, (name if several else "", g.fixed)))) else "", grid=g
        )
        for g in part.grids
    ]


def _repeats(report: Report) -> Mapping[str, tuple[RepeatStatistics, ...]]:
    if report.statistics is None:
        return {}
    return {str(found.model_key): found.rate.repeats for found in report.statistics.models}
