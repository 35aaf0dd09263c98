"""The contrasts of a batch: both arms side by side, what lies between them, and how far to trust it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dataset.artifacts.definition import BatchDefinition, FrozenModel
from dataset.measures.contrast import ContrastMeasures
from dataset.measures.group import GroupMeasures, measure_group
from dataset.measures.statistics.contrast import ContrastStatistics
from dataset.questions.template import Contrast, variants_of
from dataset.questions.variant import differing_axes
from publisher.projection.report import Report
from publisher.rendering.bars import Bar, difference_bar, pass_rate_bar
from publisher.rendering.batches.arm_grid import Label, axis_value
from publisher.rendering.batches.group import Group
from publisher.rendering.compare.matchup import contrast_slug
from publisher.rendering.evidence import Evidence
from publisher.rendering.language.message import Joined
from publisher.rendering.page_names import compare_page


@dataclass(frozen=True, kw_only=True, slots=True)
class Arm:
    """One side of a contrast for one model: its groups, and all their runs measured together.

    `label` is what sets it apart from the other side; empty where its variants don't share that.
    """

    label: Label
    groups: tuple[Group, ...]
    measures: GroupMeasures
    bar: Bar | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """One contrast for one model. `bar` is null without enough evidence, `statistics` in a report from before them."""

    page: str
    """Where its cases stand side by side, in a batch that isn't withdrawn."""
    model: FrozenModel
    measures: ContrastMeasures
    statistics: ContrastStatistics | None
    baseline: Arm
    treatment: Arm
    bar: Bar | None

    @property
    def pairs(self) -> tuple[tuple[Group, Group], ...]:
        """The groups that are compared with each other."""
        return tuple(zip(self.baseline.groups, self.treatment.groups, strict=True))

    @property
    def evidence(self) -> Evidence:
        """What there is to judge by, for the words where a number is withheld."""
        cases = self.statistics.cases if self.statistics is not None else None
        return Evidence(pairs=self.measures.pairs, cases=cases)


@dataclass(frozen=True, kw_only=True, slots=True)
class ContrastPart:
    """One contrast of the template, and how each model comes out in it."""

    contrast: Contrast
    comparisons: tuple[Comparison, ...]


def contrast_parts(report: Report, groups: Sequence[Group]) -> tuple[ContrastPart, ...]:
    """The contrasts in the order of the template; `groups` are all of the report."""
    by_key: dict[tuple[str, str], Group] = {
        (group.model.key, group.variant.id): group for group in groups if group.variant is not None
    }
    models = {model.key: model for model in report.definition.models}
    statistics = {(s.id, s.model_key): s for s in report.statistics.contrasts} if report.statistics else {}

    def comparison(measures: ContrastMeasures) -> Comparison:
        baseline, treatment = (
            [by_key[measures.model_key, name] for name in variants_of(arm)]
            for arm in (measures.baseline, measures.treatment)
        )
        axes = _parting_axes(baseline, treatment)
        return Comparison(
            page=compare_page(report.batch_id, contrast_slug(measures.id, measures.model_key)),
            model=models[measures.model_key],
            measures=measures,
            statistics=statistics.get((measures.id, measures.model_key)),
            baseline=_arm(baseline, axes, report.definition),
            treatment=_arm(treatment, axes, report.definition),
            bar=difference_bar(measures),
        )

    return tuple(
        ContrastPart(contrast=c, comparisons=tuple(comparison(m) for m in report.contrasts if m.id == c.id))
        for c in report.definition.template.contrasts
    )


def _parting_axes(baseline: Sequence[Group], treatment: Sequence[Group]) -> tuple[str, ...]:
    """The axes in which the two variants of each pair differ."""
    pairs = [(b.variant, t.variant) for b, t in zip(baseline, treatment, strict=True)]
    found = [differing_axes(b, t) for b, t in pairs if b is not None and t is not None]
    return tuple(axis for axis in found[0] if all(axis in axes for axes in found)) if found else ()


def _arm(groups: Sequence[Group], axes: Sequence[str], definition: BatchDefinition) -> Arm:
    """An arm of one variant is its group; the runs of several are measured as the report measures a group."""
    variants = [group.variant for group in groups if group.variant is not None]
    labels = {Joined(tuple(axis_value(axis, variant) for axis in axes)) for variant in variants} if axes else set()
    measures, bar = groups[0].measures, groups[0].bar
    if len(groups) > 1:
        runs = [run for group in groups for run in group.runs]
        measures = measure_group(definition.runs_per_group * len(groups), runs)
        bar = pass_rate_bar(measures)
    return Arm(label=labels.pop() if len(labels) == 1 else "", groups=tuple(groups), measures=measures, bar=bar)
