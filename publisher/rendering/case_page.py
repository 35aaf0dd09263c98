"""What the page of one case shows: the question and gold of each version, and every run of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dataset.artifacts.definition import FrozenCase, FrozenModel
from dataset.measures.run_facts import RunFacts
from dataset.questions.variant import Variant
from dataset.record import CaseId
from publisher.projection.report import PublicCase, Report
from publisher.rendering.snapshot import PublishedBatch


@dataclass(frozen=True, kw_only=True, slots=True)
class CaseRuns:
    """The runs of one model in one batch on one case: for each variant of the batch, by repeat."""

    report: Report
    model: FrozenModel
    cells: tuple[tuple[Variant, tuple[RunFacts, ...]], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class CaseEdition:
    """One version of a question with one version of its gold, and the batches that used them."""

    case: PublicCase
    frozen: FrozenCase
    runs: tuple[CaseRuns, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class CaseView:
    """The page of one case, newest edition first."""

    case_id: CaseId
    editions: tuple[CaseEdition, ...]


def case_views(batches: Sequence[PublishedBatch]) -> tuple[CaseView, ...]:
    """A view for every case of every batch, by id."""
    editions: dict[CaseId, dict[tuple[str, str], CaseEdition]] = {}
    for batch in batches:
        report = batch.report
        for own, case in zip(report.definition.cases, report.cases, strict=True):
            known = editions.setdefault(own.id, {})
            before = known.get((own.hash, own.gold_hash))
            runs = (*(before.runs if before else ()), *_runs(report, own.id))
            known[(own.hash, own.gold_hash)] = CaseEdition(case=case, frozen=own, runs=runs)
    return tuple(
        CaseView(case_id=case_id, editions=tuple(sorted(known.values(), key=_newest_first)))
        for case_id, known in sorted(editions.items())
    )


def _newest_first(edition: CaseEdition) -> tuple[int, int, str]:
    return -edition.frozen.version, -edition.frozen.gold_version, edition.frozen.hash


def _runs(report: Report, case_id: CaseId) -> list[CaseRuns]:
    own = [run for run in report.runs if run.case_id == case_id]
    return [
        CaseRuns(
            report=report,
            model=model,
            cells=tuple(
                (variant, tuple(r for r in own if r.model_key == model.key and r.variant_id == variant.id))
                for variant in report.variants
            ),
        )
        for model in report.definition.models
    ]
