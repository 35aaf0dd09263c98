"""The public report of one batch: its frozen definition, one line of facts a run, and every number that follows.

A report is a pure function of the definition, the cases and the artifacts, so anyone can make it again.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from itertools import product
from typing import Annotated, Literal

from pydantic import Field

from dataset.artifacts.definition import BatchDefinition
from dataset.artifacts.withdrawn import Reason, ReleaseNumber
from dataset.measures.contrast import ContrastMeasures, measure_contrast
from dataset.measures.group import GroupMeasures, measure_group
from dataset.measures.run_facts import RunFacts
from dataset.measures.statistics.batch import BatchStatistics, measure_batch
from dataset.questions.gold import Gold
from dataset.questions.question import Question
from dataset.questions.variant import Variant
from dataset.questions.withholding import Withheld, hides_gold, hides_question
from dataset.record import ABSENT, ABSENT_EMPTY, SLUG, BatchId, CaseId, Record, RunId, Sha256, Slug, UtcTime
from publisher.projection.public_catalogue import PublicCatalogue


class PublicCase(Record):
    """A question with its gold, as the batch used them; null where one is withheld. The definition names the case in
    the same place, with the hashes of both."""

    question: Question | None
    gold: Gold | None

    @classmethod
    def of(cls, question: Question | None, gold: Gold | None, withheld: Collection[Withheld]) -> PublicCase:
        """A case as it is published while these parts of its runs are withheld."""
        return cls(question=None if hides_question(withheld) else question, gold=None if hides_gold(withheld) else gold)


class Withdrawal(Record):
    """A run that was published and then withdrawn. `release` is the one that withdrew it."""

    run_id: Annotated[RunId, SLUG]
    reason: Reason
    release: ReleaseNumber


class Reveal(Record):
    """Parts of a case's runs that were withheld and are public since `release`."""

    case_id: Annotated[CaseId, SLUG]
    parts: tuple[Withheld, ...]
    release: ReleaseNumber


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
    withdrawals: Annotated[tuple[Withdrawal, ...], ABSENT_EMPTY] = ()
    """By run id. Their runs stay in every denominator, as invalid ones."""
    reveals: Annotated[tuple[Reveal, ...], ABSENT_EMPTY] = ()
    """In the order in which they were made."""

    @property
    def every_run(self) -> tuple[RunFacts, ...]:
        """All runs that have a file: those that count, then those superseded."""
        return (*self.runs, *self.superseded)

    @cached_property
    def cases_by_id(self) -> Mapping[str, PublicCase]:
        """The cases by id, in their order; the definition names them in the same order."""
        return {str(frozen.id): case for frozen, case in zip(self.definition.cases, self.cases, strict=False)}

    @cached_property
    def withdrawn(self) -> Mapping[str, Withdrawal]:
        """The withdrawals by run id."""
        return {withdrawal.run_id: withdrawal for withdrawal in self.withdrawals}

    def withheld(self, case_id: str) -> tuple[Withheld, ...]:
        """The parts of a case's runs that are withheld now: those that the definition says, without what was revealed
        since."""
        return self._withheld_by_case.get(case_id, ())

    @cached_property
    def _withheld_by_case(self) -> Mapping[str, tuple[Withheld, ...]]:
        return withheld_by_case(self.definition, self.reveals)

    @property
    def replay_of(self) -> BatchId | None:
        """The batch whose recorded answers this one judged again; None where its models were asked."""
        return replayed_batch(self.definition)


def withheld_by_case(definition: BatchDefinition, reveals: Sequence[Reveal]) -> dict[str, tuple[Withheld, ...]]:
    """What is withheld of the runs of each case of a batch, once some reveals were made."""
    revealed = {(reveal.case_id, part) for reveal in reveals for part in reveal.parts}
    return {
        case.id: tuple(part for part in case.withheld if (case.id, part) not in revealed) for case in definition.cases
    }


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
    withdrawals: Sequence[Withdrawal] = (),
    reveals: Sequence[Reveal] = (),
    with_statistics: bool = True,
) -> Report:
    """The report of a batch. `runs` are those that count, in planned order, and every number is theirs; times are the
    first start and last end of all its runs. Lines of withdrawn runs are what `withdrawn_facts` makes of them. Without
    statistics it is what it was before there were any."""
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
        withdrawals=tuple(sorted(withdrawals, key=lambda withdrawal: withdrawal.run_id)),
        reveals=tuple(reveals),
    )


def recompiled(
    report: Report,
    *,
    runs: Sequence[RunFacts],
    superseded: Sequence[RunFacts],
    started_at: UtcTime | None = None,
    finished_at: UtcTime | None = None,
    withdrawals: Sequence[Withdrawal] | None = None,
) -> Report:
    """A report made again from other lines, and from its own times and withdrawals where none are given. It has
    statistics where the report has them."""
    return compile_report(
        batch_id=report.batch_id,
        definition=report.definition,
        cases=report.cases,
        variants=report.variants,
        runs=runs,
        superseded=superseded,
        catalogue=report.catalogue,
        started_at=started_at or report.started_at,
        finished_at=finished_at or report.finished_at,
        withdrawals=report.withdrawals if withdrawals is None else withdrawals,
        reveals=report.reveals,
        with_statistics=report.statistics is not None,
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
