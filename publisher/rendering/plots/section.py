"""The plots of one section of a page: every kind in its order, and one line for those that would show nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dataset.record import BatchId
from publisher.projection.report import Report
from publisher.rendering.batches.view import BatchView
from publisher.rendering.boards.board import Board
from publisher.rendering.language.message import Sayable
from publisher.rendering.plots.context_budget import context_budget
from publisher.rendering.plots.failure_reasons import failure_reasons
from publisher.rendering.plots.interface import NotDrawn, Plot, PlotKind
from publisher.rendering.plots.intervals import intervals
from publisher.rendering.plots.quality_cost import quality_cost
from publisher.rendering.plots.quality_latency import quality_latency
from publisher.rendering.plots.reliability import reliability
from publisher.rendering.plots.source import PlotSource, batch_source, board_source

VALUE_KINDS: Sequence[PlotKind] = (quality_cost, quality_latency)
BOARD_KINDS: Sequence[PlotKind] = (*VALUE_KINDS, reliability, intervals, failure_reasons)
BATCH_KINDS: Sequence[PlotKind] = (context_budget, reliability, intervals, failure_reasons)


@dataclass(frozen=True, kw_only=True, slots=True)
class PlotSection:
    """`name` is empty where a page has one section only; `not_drawn` holds each reason once, with the titles of the
    plots that it is the reason of."""

    name: str | Sayable
    plots: tuple[Plot, ...]
    not_drawn: tuple[tuple[Sayable, tuple[Sayable, ...]], ...]


def board_plots(board: Board, reports: Mapping[BatchId, Report]) -> PlotSection:
    """The plots of one board of the leaderboard."""
    return _section(board_source(board, reports), BOARD_KINDS)


def value_plot(board: Board, reports: Mapping[BatchId, Report]) -> Plot | None:
    """The first plot that shows what quality is bought with: in money, otherwise in time. None where neither does."""
    drawings = _section(board_source(board, reports), VALUE_KINDS).plots
    return drawings[0] if drawings else None


def batch_plots(view: BatchView) -> PlotSection | None:
    """The plots of one batch; None for a withdrawn one."""
    source = batch_source(view)
    return None if source is None else _section(source, BATCH_KINDS)


def _section(source: PlotSource, kinds: Sequence[PlotKind]) -> PlotSection:
    found = [drawing for kind in kinds for drawing in kind(source)]
    reasons: dict[Sayable, list[Sayable]] = {}
    for drawing in found:
        if isinstance(drawing, NotDrawn):
            reasons.setdefault(drawing.reason, []).append(drawing.title)
    return PlotSection(
        name=source.name,
        plots=tuple(drawing for drawing in found if isinstance(drawing, Plot)),
        not_drawn=tuple((reason, tuple(titles)) for reason, titles in reasons.items()),
    )
