"""The cards of a site: which page each stands for, and what it says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from dataset.console import counted
from publisher.rendering.boards.board import Board
from publisher.rendering.cards.card import Card, CardFigure, Mark
from publisher.rendering.figures import percent
from publisher.rendering.page_names import HOME, batch_page, board_page, model_page, release_page
from publisher.rendering.snapshot.snapshot import PublishedBatch
from publisher.rendering.views.model import ModelInBatch, ModelView
from publisher.rendering.views.release import ReleaseView, Standing

_NAMED = 4
"""Models that the card of a batch or board names."""


def site_cards(
    *,
    batches: Sequence[PublishedBatch],
    boards: Sequence[Board],
    models: Sequence[ModelView],
    releases: Sequence[ReleaseView],
    standing: Standing,
    synthetic: bool,
) -> Mapping[str, Card]:
    """A card for each page that has its own, by the page's name; every other page has that of the front page. All of a
    snapshot: its batches and what pages show of them, how it stands, and whether any of it is synthetic."""
    marks = frozenset(_marks(standing, synthetic=synthetic))
    return {
        HOME: _home(batches, standing, marks),
        **{board_page(board.slug): _board(board, marks) for board in boards},
        **{model_page(view.key): _model(view, marks) for view in models},
        **{batch_page(batch.report.batch_id): _batch(batch, marks) for batch in batches},
        **{release_page(found.release.number): _release(found, marks) for found in releases},
    }


def _marks(standing: Standing, *, synthetic: bool) -> Iterator[Mark]:
    if synthetic:
        yield "synthetic"
    if standing.unsigned:
        yield "not_signed"


def _home(batches: Sequence[PublishedBatch], standing: Standing, marks: frozenset[Mark]) -> Card:
    models = {model.key for batch in batches for model in batch.report.definition.models}
    runs = sum(len(batch.report.every_run) for batch in batches)
    return Card(
        kicker="Leaderboard",
        title="Language models and agents, with the evidence of every run",
        fallback_title="Glassbench",
        facts=(
            counted(len(models), "model"),
            counted(runs, "run"),
            counted(standing.number, "release"),
        ),
        marks=marks,
    )


def _board(board: Board, marks: frozenset[Mark]) -> Card:
    template = board.definition.template
    best = board.rows[0] if board.rows else None
    rate = best.measures.metrics["pass-rate"] if best is not None else None
    return Card(
        kicker="Leaderboard",
        title=template.title.en,
        fallback_title=template.id,
        figure=None
        if best is None or rate is None
        else CardFigure(value=percent(rate), label=f"best pass rate: {best.model.display_name}", bar=best.bar),
        facts=(
            counted(len(board.rows), "model"),
            counted(len(board.definition.cases), "case"),
            f"{template.id}@{template.version}",
        ),
        marks=marks,
    )


def _model(view: ModelView, marks: frozenset[Mark]) -> Card:
    last = view.batches[0]
    return Card(
        kicker="Model",
        title=view.model.display_name,
        fallback_title=view.key,
        figure=_figure(last),
        facts=(
            last.report.definition.template.title.en,
            f"{last.measures.valid} of {last.measures.planned} runs valid",
            counted(len(view.batches), "batch", "batches"),
        ),
        marks=marks | ({"withdrawn"} if last.withdrawn else frozenset()),
    )


def _figure(found: ModelInBatch) -> CardFigure | None:
    measures = found.measures
    rate, low, high = measures.metrics["pass-rate"], measures.pass_rate_low, measures.pass_rate_high
    if rate is None or low is None or high is None:
        return None
    return CardFigure(value=percent(rate), label=f"pass rate, 95 % CI {percent(low)} – {percent(high)}", bar=found.bar)


def _batch(batch: PublishedBatch, marks: frozenset[Mark]) -> Card:
    report = batch.report
    names = [model.display_name for model in report.definition.models]
    more = (f"and {len(names) - _NAMED} more",) if len(names) > _NAMED else ()
    return Card(
        kicker="Batch",
        title=report.definition.template.title.en,
        fallback_title=report.batch_id,
        facts=(report.batch_id, counted(len(report.runs), "run"), *names[:_NAMED], *more),
        marks=marks | ({"withdrawn"} if batch.withdrawn else frozenset()),
    )


def _release(found: ReleaseView, marks: frozenset[Mark]) -> Card:
    brought = sum(len(batch.report.every_run) for batch in found.brought)
    withdrew = sum(len(gone.runs) for gone in found.withdrew)
    facts = [found.release.published_at[:10]]
    if brought:
        facts.append(f"{counted(brought, 'run')} brought")
    if withdrew:
        facts.append(f"{counted(withdrew, 'run')} withdrawn")
    if found.revealed:
        facts.append(f"parts of {counted(len(found.revealed), 'case')} revealed")
    title = f"Release {found.release.number}"
    return Card(kicker="Release", title=title, fallback_title=title, facts=tuple(facts), marks=marks)
