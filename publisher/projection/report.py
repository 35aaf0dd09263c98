"""The public report of one batch: its frozen definition, one line of facts a run, and every number that follows.

A report is a pure function of the definition, the cases and the artifacts, so anyone can make it again.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Annotated, Literal

from pydantic import Field

from dataset.artifacts.definition import BatchDefinition
from dataset.measures.contrast import ContrastMeasures, measure_contrast
from dataset.measures.group import GroupMeasures, measure_group
from dataset.measures.run_facts import RunFacts
from dataset.measures.statistics.batch import BatchStatistics, measure_batch
from dataset.questions.gold import Gold
from dataset.questions.question import Question
from dataset.questions.variant import Variant
from dataset.record import ABSENT, ABSENT_EMPTY, SLUG, BatchId, Record, Sha256, Slug, UtcTime
from publisher.projection.public_catalogue import PublicCatalogue


class PublicCase(Record):
    """A question with its gold, as the batch used them."""

    question: Question
    gold: Gold


def replayed_batch(definition: BatchDefinition) -> BatchId | None:
    """The batch whose recorded answers a batch judges again; None where its models were asked."""
    return definition.replay_of


class GroupReport(Record):
    """One model × variant."""

    model_key: Slug
    variant_id: Slug
    measures: GroupMeasures


class Report(Record):
    """`reports/{batch_id}.json`, in canonical bytes."""

    schema_: Literal["glassbench.report/1"] = Field(alias="schema", default="glassbench.report/1")
    batch_id: Annotated[BatchId, SLUG]
    definition: BatchDefinition
    definition_hash: Sha256
    synthetic: bool
    started_at: UtcTime
    finished_at: UtcTime
    cases: tuple[PublicCase, ...]
    variants: tuple[Variant, ...]
    runs: tuple[RunFacts, ...]
    """The run that counts at each planned position."""
    superseded: Annotated[tuple[RunFacts, ...], ABSENT_EMPTY] = ()
    """Invalid runs that were tried again, by position and then in their order. They count for nothing."""
    groups: tuple[GroupReport, ...]
    models: dict[str, GroupMeasures]
    """Over all variants, by model key."""
    contrasts: tuple[ContrastMeasures, ...]
    catalogue: Annotated[PublicCatalogue | None, ABSENT] = None
    """What the tools of every run came from; null in a report from before it was published."""
    statistics: Annotated[BatchStatistics | None, ABSENT] = None
    """Every report that is made now has them; null in one from before they were."""

    @property
    def every_run(self) -> tuple[RunFacts, ...]:
        """All runs that have a file: those that count, then those superseded."""
        return (*self.runs, *self.superseded)

    @property
    def replay_of(self) -> BatchId | None:
        """The batch whose recorded answers this one judged again; None where its models were asked."""
        return replayed_batch(self.definition)


def compile_report(
    *,
    batch_id: BatchId,
    definition: BatchDefinition,
    cases: Sequence[PublicCase],
    variants: Sequence[Variant],
    runs: Sequence[RunFacts],
    started_at: UtcTime,
    finished_at: UtcTime,
    superseded: Sequence[RunFacts] = (),
    catalogue: PublicCatalogue | None = None,
    with_statistics: bool = True,
) -> Report:
    """The report of a batch. `runs` are those that count, in planned order, and every number is theirs; times are the
    first start and last end of all its runs. Without statistics it is what it was before there were any."""
    models = {
        model.key: measure_group(definition.runs_per_model, [r for r in runs if r.model_key == model.key])
        for model in definition.models
    }
    contrasts = tuple(
        measure_contrast(c, model_key=model.key, runs=runs)
        for model, c in product(definition.models, definition.template.contrasts)
    )
    return Report(
        batch_id=batch_id,
        definition=definition,
        definition_hash=definition.digest(),
        synthetic=any(model.synthetic for model in definition.models),
        started_at=started_at,
        finished_at=finished_at,
        cases=tuple(cases),
        variants=tuple(variants),
        runs=tuple(runs),
        superseded=tuple(superseded),
        groups=_groups(definition, runs),
        models=models,
        contrasts=contrasts,
        catalogue=catalogue,
        statistics=measure_batch(definition, runs) if with_statistics else None,
    )


def _groups(definition: BatchDefinition, runs: Sequence[RunFacts]) -> tuple[GroupReport, ...]:
    return tuple(
        GroupReport(
            model_key=model.key,
            variant_id=variant.id,
            measures=measure_group(
                definition.runs_per_group,
                [r for r in runs if r.model_key == model.key and r.variant_id == variant.id],
            ),
        )
        for model, variant in product(definition.models, definition.variants)
    )
