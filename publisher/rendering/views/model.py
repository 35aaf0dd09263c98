"""What the page of one model shows: who it is, and what it did in every batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dataset.artifacts.definition import FrozenModel, Weights
from dataset.measures.failing import failing_runs
from dataset.measures.group import GroupMeasures
from dataset.measures.run_facts import RunFacts
from publisher.projection.report import Report
from publisher.rendering.bars import Bar, pass_rate_bar
from publisher.rendering.boards.board import Board
from publisher.rendering.page_names import comparisons_page
from publisher.rendering.snapshot.snapshot import PublishedBatch
from publisher.rendering.snapshot.weights import stated_weights


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelInBatch:
    """A model in one batch: as it was frozen, its measures, and how many of its runs failed for each kind of reason.

    `rank` is empty in a withdrawn batch, and without a valid run.
    """

    report: Report
    release: int
    withdrawn: bool
    model: FrozenModel
    measures: GroupMeasures
    bar: Bar | None
    rank: str
    failing: Mapping[str, int]
    invalid: Mapping[str, int]
    example: RunFacts | None
    """A run that failed, or is invalid: the first of them."""

    @property
    def compared(self) -> bool:
        """Whether the batch has comparisons: of models, or of arms."""
        definition = self.report.definition
        return not self.withdrawn and (len(definition.models) > 1 or bool(definition.template.contrasts))

    @property
    def comparisons(self) -> str:
        """The page that lists them."""
        return comparisons_page(self.report.batch_id)


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelView:
    """The page of one key, newest batch first."""

    key: str
    batches: tuple[ModelInBatch, ...]
    weights: Weights | None
    """As they were stated last."""

    @property
    def model(self) -> FrozenModel:
        """As it was frozen last."""
        return self.batches[0].model

    @property
    def names(self) -> tuple[str, ...]:
        """Every name that it had, newest first."""
        return tuple(dict.fromkeys(found.model.display_name for found in self.batches))

    @property
    def runs(self) -> int:
        """How many runs were planned in all."""
        return sum(found.measures.planned for found in self.batches)


def model_views(batches: Sequence[PublishedBatch], boards: Sequence[Board]) -> tuple[ModelView, ...]:
    """A view for every model of every batch, by key."""
    ranks = {(row.batch_id, row.model.key): row.rank for board in boards for row in board.rows}
    found: dict[str, list[ModelInBatch]] = {}
    for batch in sorted(batches, key=lambda batch: (-batch.release, batch.report.batch_id)):
        report = batch.report
        runs: dict[str, list[RunFacts]] = {}
        for run in report.runs:
            runs.setdefault(run.model_key, []).append(run)
        for model in report.definition.models:
            rank = ranks.get((report.batch_id, model.key), "")
            found.setdefault(model.key, []).append(_in_batch(batch, model, runs.get(model.key, []), rank))
    weights = stated_weights(batches)
    return tuple(ModelView(key=key, batches=tuple(found[key]), weights=weights.get(key)) for key in sorted(found))


def _in_batch(batch: PublishedBatch, model: FrozenModel, runs: Sequence[RunFacts], rank: str) -> ModelInBatch:
    measures = batch.report.models[model.key]
    invalid: dict[str, int] = {}
    for run in runs:
        if run.invalid_reason is not None:
            invalid[run.invalid_reason] = invalid.get(run.invalid_reason, 0) + 1
    return ModelInBatch(
        report=batch.report,
        release=batch.release,
        withdrawn=batch.withdrawn,
        model=model,
        measures=measures,
        bar=pass_rate_bar(measures),
        rank=rank,
        failing=failing_runs(runs),
        invalid=dict(sorted(invalid.items())),
        example=next((run for run in runs if run.verdict != "pass" and run.invalid_reason != "withdrawn"), None),
    )
