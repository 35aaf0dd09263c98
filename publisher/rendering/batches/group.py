"""A group of runs as a page shows it: one model × variant, or one model over all variants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dataset.artifacts.definition import FrozenModel
from dataset.measures.group import GroupMeasures
from dataset.measures.run_facts import RunFacts
from dataset.questions.variant import Variant
from dataset.record import CaseId
from publisher.projection.report import Report
from publisher.rendering.bars import Bar, pass_rate_bar


@dataclass(frozen=True, kw_only=True, slots=True)
class Group:
    """One model × variant, or one model over all variants (`variant` null), and its recorded runs."""

    model: FrozenModel
    variant: Variant | None
    measures: GroupMeasures
    bar: Bar | None
    runs: tuple[RunFacts, ...]

    @property
    def anchor(self) -> str:
        """The id of its place on the batch's page and on that of its model in the batch."""
        return f"model-{self.model.key}" if self.variant is None else f"group-{self.model.key}.{self.variant.id}"


def groups_of(report: Report) -> tuple[Group, ...]:
    """Every model × variant in the order of the report."""
    models = {model.key: model for model in report.definition.models}
    variants: dict[str, Variant] = {variant.id: variant for variant in report.variants}
    runs: dict[tuple[str, str], list[RunFacts]] = {}
    for run in report.runs:
        runs.setdefault((run.model_key, run.variant_id), []).append(run)
    return tuple(
        _group(
            models[g.model_key], variants[g.variant_id], g.measures, report, runs.get((g.model_key, g.variant_id), ())
        )
        for g in report.groups
    )


def whole_group(model: FrozenModel, report: Report) -> Group:
    """One model over all variants."""
    own = [run for run in report.runs if run.model_key == model.key]
    return _group(model, None, report.models[model.key], report, own)


def _group(
    model: FrozenModel, variant: Variant | None, measures: GroupMeasures, report: Report, runs: Sequence[RunFacts]
) -> Group:
    """A group with its runs in the order of the cases, not in that of execution."""
    places = {case.id: place for place, case in enumerate(report.definition.cases)}
    own = sorted(runs, key=lambda run: (places[CaseId(run.case_id)], run.variant_id, run.repeat))
    return Group(model=model, variant=variant, measures=measures, bar=pass_rate_bar(measures), runs=tuple(own))
