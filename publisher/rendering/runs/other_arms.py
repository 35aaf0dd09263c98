"""The runs of the same case in the other arms of a batch: same model, same repeat, another variant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from dataset.measures.run_facts import RunFacts
from dataset.questions.template import Contrast
from dataset.questions.variant import Variant, differing_axes
from publisher.projection.report import Report
from publisher.rendering.batches.arm_grid import Label, axis_value


@dataclass(frozen=True, kw_only=True, slots=True)
class Difference:
    """An axis (a message id), and what the other arm has in it."""

    axis: str
    value: Label


@dataclass(frozen=True, kw_only=True, slots=True)
class Contrasted:
    """A contrast of the template that compares this run's variant with the other, and the side the other is on."""

    contrast: Contrast
    side: Literal["baseline", "treatment"]


@dataclass(frozen=True, kw_only=True, slots=True)
class OtherArm:
    """One such run. `contrasts` is empty where the template doesn't compare the two variants."""

    run: RunFacts
    variant: Variant
    differences: tuple[Difference, ...]
    contrasts: tuple[Contrasted, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Neighbour:
    variant: Variant
    differences: tuple[Difference, ...]
    contrasts: tuple[Contrasted, ...]


class Arms:
    """Who stands beside whom in one report, worked out once for all of its runs."""

    def __init__(self, report: Report) -> None:
        self._runs = {(run.model_key, run.case_id, run.repeat, run.variant_id): run for run in report.runs}
        contrasts = report.definition.template.contrasts
        self._beside: dict[str, tuple[_Neighbour, ...]] = {
            variant.id: _beside(variant, report.variants, contrasts) for variant in report.variants
        }

    def others(self, facts: RunFacts) -> tuple[OtherArm, ...]:
        """The runs that count in every other variant: contrasted ones first, then by the number of differences."""
        found = []
        for other in self._beside[facts.variant_id]:
            run = self._runs.get((facts.model_key, facts.case_id, facts.repeat, other.variant.id))
            if run is not None:
                found.append(
                    OtherArm(run=run, variant=other.variant, differences=other.differences, contrasts=other.contrasts)
                )
        return tuple(found)


def _beside(variant: Variant, variants: Sequence[Variant], contrasts: Sequence[Contrast]) -> tuple[_Neighbour, ...]:
    neighbours = [
        _Neighbour(
            variant=other,
            differences=tuple(
                Difference(axis=axis, value=axis_value(axis, other)) for axis in differing_axes(variant, other)
            ),
            contrasts=tuple(_contrasted(variant, other, contrasts)),
        )
        for other in variants
        if other.id != variant.id
    ]
    # Sorting is stable: arms that are equally far away stay in the order of the batch.
    return tuple(sorted(neighbours, key=lambda other: (not other.contrasts, len(other.differences))))


def _contrasted(variant: Variant, other: Variant, contrasts: Sequence[Contrast]) -> list[Contrasted]:
    found = []
    for contrast in contrasts:
        if (variant.id, other.id) in contrast.pairs:
            found.append(Contrasted(contrast=contrast, side="treatment"))
        elif (other.id, variant.id) in contrast.pairs:
            found.append(Contrasted(contrast=contrast, side="baseline"))
    return found
