"""What the page of one batch shows: groups, contrasts, reasons, and the matrix of all verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dataset.artifacts.definition import FrozenModel
from dataset.measures.contrast import ContrastMeasures
from dataset.measures.group import GroupMeasures, reason_kind
from dataset.measures.run_facts import RunFacts
from dataset.questions.question import Question
from dataset.questions.template import Contrast
from dataset.questions.variant import Variant
from dataset.record import CaseId
from publisher.projection.report import Report
from publisher.rendering.bars import Bar, difference_bar, pass_rate_bar

SHOWN_APART = ("pass-rate", "valid-rate", "worst-case", "best-case")
"""Metrics that have columns of their own in every table of groups."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Group:
    """One model × variant, or one model over all variants (`variant` null), and its recorded runs."""

    model: FrozenModel
    variant: Variant | None
    measures: GroupMeasures
    bar: Bar | None
    runs: tuple[RunFacts, ...]


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
    failures: tuple[Reason, ...]
    invalid: tuple[Reason, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """One contrast of the template for one model. `bar` is null without enough evidence."""

    model: FrozenModel
    contrast: Contrast
    measures: ContrastMeasures
    bar: Bar | None


@dataclass(frozen=True, kw_only=True, slots=True)
class MatrixRow:
    """One case: for each group, in the order of `BatchView.groups`, its runs by repeat."""

    question: Question
    cells: tuple[tuple[RunFacts, ...], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class BatchView:
    """The page of one batch. `metric_ids` are the template's, without those that have columns of their own."""

    report: Report
    metric_ids: tuple[str, ...]
    groups: tuple[Group, ...]
    models: tuple[ModelPart, ...]
    comparisons: tuple[Comparison, ...]
    matrix: tuple[MatrixRow, ...]


def batch_view(report: Report) -> BatchView:
    """The view of a report; nothing is computed but the order of things and the geometry of bars."""
    models = {model.key: model for model in report.definition.models}
    variants: dict[str, Variant] = {variant.id: variant for variant in report.variants}
    groups = tuple(_group(models[g.model_key], variants[g.variant_id], g.measures, report) for g in report.groups)
    contrasts = {contrast.id: contrast for contrast in report.definition.template.contrasts}
    return BatchView(
        report=report,
        metric_ids=tuple(m for m in report.definition.template.metrics if m not in SHOWN_APART),
        groups=groups,
        models=tuple(_model_part(model, report, groups) for model in report.definition.models),
        comparisons=tuple(
            Comparison(model=models[c.model_key], contrast=contrasts[c.id], measures=c, bar=difference_bar(c))
            for c in report.contrasts
        ),
        matrix=tuple(_matrix_row(case.question, groups) for case in report.cases),
    )


def _group(model: FrozenModel, variant: Variant | None, measures: GroupMeasures, report: Report) -> Group:
    """A group with its runs in the order of the cases, not in that of execution."""
    places = {case.question.id: place for place, case in enumerate(report.cases)}
    own = [r for r in report.runs if r.model_key == model.key and (variant is None or r.variant_id == variant.id)]
    own.sort(key=lambda run: (places[CaseId(run.case_id)], run.variant_id, run.repeat))
    return Group(model=model, variant=variant, measures=measures, bar=pass_rate_bar(measures), runs=tuple(own))


def _model_part(model: FrozenModel, report: Report, groups: Sequence[Group]) -> ModelPart:
    whole = _group(model, None, report.models[model.key], report)
    valid = [run for run in whole.runs if run.verdict != "invalid"]
    return ModelPart(
        model=model,
        whole=whole,
        groups=tuple(group for group in groups if group.model.key == model.key),
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


def _matrix_row(question: Question, groups: Sequence[Group]) -> MatrixRow:
    return MatrixRow(
        question=question,
        cells=tuple(tuple(run for run in group.runs if run.case_id == question.id) for group in groups),
    )
