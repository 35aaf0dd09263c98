"""What the page of one case shows: the question and gold of each version, and every run of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from dataset.artifacts.artifact import Verdict
from dataset.artifacts.definition import FrozenCase, FrozenModel
from dataset.measures.run_facts import RunFacts
from dataset.questions.variant import Variant
from dataset.questions.withholding import QUESTION_PARTS, Withheld, hides_gold, hides_question
from dataset.record import BatchId, CaseId, Localised
from publisher.projection.report import PublicCase, Report
from publisher.rendering.snapshot.section_seal import revealed_parts
from publisher.rendering.snapshot.snapshot import PublishedBatch


@dataclass(frozen=True, kw_only=True, slots=True)
class CaseRuns:
    """The runs of one model in one batch on one case: for each variant of the batch, by repeat."""

    report: Report
    model: FrozenModel
    cells: tuple[tuple[Variant, tuple[RunFacts, ...]], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class RevealedEntry:
    """A question or gold that a batch withheld, and the releases that committed and revealed it."""

    batch_id: BatchId
    part: Literal["question", "gold"]
    committed: int
    revealed: int


@dataclass(frozen=True, kw_only=True, slots=True)
class CaseEdition:
    """One version of a question with one version of its gold, and the batches that used them. What one batch withholds
    is shown where another shows it; `committed` is the release that first fixed both hashes."""

    case: PublicCase
    frozen: FrozenCase
    committed: int
    revealed: tuple[RevealedEntry, ...]
    runs: tuple[CaseRuns, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class CaseView:
    """The page of one case, newest edition first."""

    case_id: CaseId
    editions: tuple[CaseEdition, ...]

    @property
    def title(self) -> Localised | None:
        """The title of the newest edition that shows its question."""
        return next((e.case.question.title for e in self.editions if e.case.question is not None), None)

    @property
    def category(self) -> str | None:
        """The category of the newest edition that shows its question."""
        return next((e.case.question.category for e in self.editions if e.case.question is not None), None)

    @property
    def verdicts(self) -> Mapping[Verdict, int]:
        """How many runs came out in each way, over every batch and edition."""
        counts = Counter(run.verdict for e in self.editions for row in e.runs for _, runs in row.cells for run in runs)
        return {verdict: counts[verdict] for verdict in get_args(Verdict)}


def case_views(batches: Sequence[PublishedBatch]) -> tuple[CaseView, ...]:
    """A view for every case of every batch, by id."""
    editions: dict[CaseId, dict[tuple[str, str], CaseEdition]] = {}
    for batch in batches:
        report = batch.report
        for own, case in zip(report.definition.cases, report.cases, strict=True):
            known = editions.setdefault(own.id, {})
            key = (own.hash, own.gold_hash)
            known[key] = _edition(known.get(key), batch, own, case)
    return tuple(
        CaseView(case_id=case_id, editions=tuple(sorted(known.values(), key=_newest_first)))
        for case_id, known in sorted(editions.items())
    )


def _edition(before: CaseEdition | None, batch: PublishedBatch, own: FrozenCase, case: PublicCase) -> CaseEdition:
    """The edition with one more batch that used it."""
    runs, revealed = tuple(_runs(batch.report, own.id)), tuple(_revealed(batch, own.id))
    if before is None:
        return CaseEdition(case=case, frozen=own, committed=batch.release, revealed=revealed, runs=runs)
    return CaseEdition(
        case=PublicCase(question=case.question or before.case.question, gold=case.gold or before.case.gold),
        frozen=own,
        committed=min(before.committed, batch.release),
        revealed=(*before.revealed, *revealed),
        runs=(*before.runs, *runs),
    )


def _revealed(batch: PublishedBatch, case_id: CaseId) -> Iterator[RevealedEntry]:
    parts, still = revealed_parts(batch.report, case_id), batch.report.withheld(case_id)
    told: tuple[tuple[Literal["question", "gold"], frozenset[Withheld], bool], ...] = (
        ("question", QUESTION_PARTS, hides_question(still)),
        ("gold", frozenset(("gold",)), hides_gold(still)),
    )
    for part, names, hidden in told:
        releases = [parts[name] for name in names if name in parts]
        if releases and not hidden:
            yield RevealedEntry(
                batch_id=batch.report.batch_id, part=part, committed=batch.release, revealed=max(releases)
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
