"""What the page of one batch shows: groups, contrasts, reasons, and the matrix of all verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from dataset.artifacts.definition import FrozenModel
from dataset.measures.run_facts import RunFacts, reason_kind
from dataset.measures.statistics.rate import GroupMean
from dataset.questions.withholding import Withheld
from dataset.record import CaseId
from publisher.projection.report import Report
from publisher.rendering.batches.arm_grid import Grid, arm_grids
from publisher.rendering.batches.contrasts import ContrastPart, contrast_parts
from publisher.rendering.batches.group import Group, groups_of, whole_group
from publisher.rendering.batches.ranking import RankingView, ranking_views
from publisher.rendering.batches.spread import Spread, spread_of
from publisher.rendering.compare.matchup import Matchups, matchups_of
from publisher.rendering.snapshot.section_seal import revealed_parts
from publisher.rendering.snapshot.snapshot import PublishedBatch
from publisher.rendering.snapshot.withdrawal import WithdrawnRuns, withdrawals_of

CROWDED = 30
"""Rows of groups from which on a batch has a short page of its own and long tables on pages beside it."""
CELLS_A_PAGE = 600
"""Verdicts in one table of them."""
SHOWN_APART = ("pass-rate", "valid-rate", "worst-case", "best-case")
"""Metrics that have columns of their own in every table of groups."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reason:
    """A kind of failure, or a reason for an invalid run, and every run that shows it."""

    kind: str
    runs: tuple[RunFacts, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelPart:
    """Everything of one model: its groups, and why its runs failed or broke."""

    model: FrozenModel
    whole: Group
    groups: tuple[Group, ...]
    grids: tuple[Grid, ...]
    variant_mean: GroupMean | None
    """Null for one variant, and in a report from before there were statistics."""
    failures: tuple[Reason, ...]
    invalid: tuple[Reason, ...]

    @property
    def rows(self) -> tuple[Group, ...]:
        """The rows that a table of results has for it: the whole first, where there are several groups."""
        return (self.whole, *self.groups) if len(self.groups) > 1 else self.groups


@dataclass(frozen=True, kw_only=True, slots=True)
class MatrixRow:
    """One case: for each group, in the order of `BatchView.groups`, its runs by repeat."""

    case_id: CaseId
    cells: tuple[tuple[RunFacts, ...], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class WithheldCase:
    """A case and the parts of its runs that aren't public; `revealed` are those that were withheld once, each with the
    release that showed it."""

    case_id: CaseId
    withheld: tuple[Withheld, ...]
    revealed: tuple[tuple[str, int], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class BatchView:
    """The page of one batch. `metric_ids` are the template's, without those that have columns of their own;
    `withdrawn` says that every run of it was."""

    report: Report
    withdrawn: bool
    withdrawals: tuple[WithdrawnRuns, ...]
    withheld: tuple[WithheldCase, ...]
    metric_ids: tuple[str, ...]
    groups: tuple[Group, ...]
    models: tuple[ModelPart, ...]
    contrasts: tuple[ContrastPart, ...]
    rankings: tuple[RankingView, ...]
    spread: Spread | None
    """Null, as `rankings` are empty, where there are no statistics. A withdrawn batch ranks nothing."""
    matrix: tuple[MatrixRow, ...]
    """Empty where it has too many verdicts for one table: then each model's page in the batch has its own."""
    crowded: bool
    matchups: Matchups

    @property
    def wholes(self) -> tuple[Group, ...]:
        """Each model over all variants."""
        return tuple(part.whole for part in self.models)


def batch_view(batch: PublishedBatch) -> BatchView:
    """The view of a batch; nothing is computed but the order of things and the geometry of bars."""
    report = batch.report
    groups = groups_of(report)
    models = tuple(_model_part(model, report, groups) for model in report.definition.models)
    crowded = len(groups) + len(models) > CROWDED
    shown = [g for part in models for g in part.rows] if not crowded else [part.whole for part in models]
    return BatchView(
        report=report,
        withdrawn=batch.withdrawn,
        withdrawals=withdrawals_of(report),
        withheld=tuple(_withheld_cases(report)),
        metric_ids=tuple(m for m in report.definition.template.metrics if m not in SHOWN_APART),
        groups=groups,
        models=models,
        contrasts=contrast_parts(report, groups),
        rankings=() if batch.withdrawn else ranking_views(report, groups, [part.whole for part in models]),
        spread=spread_of(report, shown),
        matrix=matrix_rows(report, groups) if len(report.runs) <= CELLS_A_PAGE and not crowded else (),
        crowded=crowded,
        matchups=matchups_of(batch),
    )


def matrix_rows(report: Report, groups: Sequence[Group]) -> tuple[MatrixRow, ...]:
    """The verdicts of some groups, a row for each case."""
    by_case: list[dict[str, list[RunFacts]]] = []
    for group in groups:
        own: dict[str, list[RunFacts]] = {}
        for run in group.runs:
            own.setdefault(run.case_id, []).append(run)
        by_case.append(own)
    return tuple(
        MatrixRow(case_id=case.id, cells=tuple(tuple(own.get(case.id, ())) for own in by_case))
        for case in report.definition.cases
    )


def _withheld_cases(report: Report) -> Iterator[WithheldCase]:
    for case in report.definition.cases:
        if case.withheld:
            yield WithheldCase(
                case_id=case.id,
                withheld=report.withheld(case.id),
                revealed=tuple(revealed_parts(report, case.id).items()),
            )


def _model_part(model: FrozenModel, report: Report, groups: Sequence[Group]) -> ModelPart:
    whole = whole_group(model, report)
    own = tuple(group for group in groups if group.model.key == model.key)
    means = {s.model_key: s.variant_mean for s in report.statistics.models} if report.statistics else {}
    valid = [run for run in whole.runs if run.verdict != "invalid"]
    return ModelPart(
        model=model,
        whole=whole,
        groups=own,
        grids=arm_grids(own),
        variant_mean=means.get(model.key) if len(own) > 1 else None,
        failures=_reasons((reason_kind(reason), run) for run in valid for reason in run.failure_reasons),
        invalid=_reasons((run.invalid_reason or "unknown", run) for run in whole.runs if run.verdict == "invalid"),
    )


def _reasons(pairs: Iterable[tuple[str, RunFacts]]) -> tuple[Reason, ...]:
    """Reasons by number of runs, most first; each run once a reason."""
    found: dict[str, dict[str, RunFacts]] = {}
    for kind, run in pairs:
        found.setdefault(kind, {})[run.run_id] = run
    ordered = sorted(found.items(), key=lambda entry: (-len(entry[1]), entry[0]))
    return tuple(Reason(kind=kind, runs=tuple(runs.values())) for kind, runs in ordered)
