"""Which comparisons of a batch have pages: each contrast of each model, and models against each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import combinations, pairwise
from typing import Literal

from dataset.artifacts.definition import FrozenModel
from dataset.measures.run_facts import RunFacts
from dataset.questions.template import Contrast, variants_of
from publisher.projection.report import Report
from publisher.rendering.compare.pairing import Pairing
from publisher.rendering.language.message import Joined, Message, Sayable
from publisher.rendering.page_names import compare_page, comparisons_page
from publisher.rendering.snapshot.snapshot import PublishedBatch

ALL_PAIRS = 6
"""Up to so many models, each is compared with each; of more, each with the next in the order of pass rates."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Side:
    """One side of a comparison: a model, and the variants that are its arm (all of the batch where models are
    compared)."""

    name: str | Sayable
    model: FrozenModel
    variants: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Matchup:
    """One comparison. `slug` names it within its batch; the left side is the baseline, and what is won is won by the
    right one. `contrast` is null where models are compared."""

    kind: Literal["contrast", "models"]
    slug: str
    batch: PublishedBatch
    left: Side
    right: Side
    contrast: Contrast | None
    pairings: tuple[Pairing, ...] = field(repr=False)
    elsewhere: str = ""
    """Its page, where that isn't one of its batch: the sides are rows of a board, and `batch` is that of the right."""
    board: str = ""
    """The page of that board."""

    @property
    def page(self) -> str:
        """Where its page stands."""
        return self.elsewhere or compare_page(self.batch.report.batch_id, self.slug)


@dataclass(frozen=True, kw_only=True, slots=True)
class Matchups:
    """Every comparison of a batch: contrasts first. `neighbours_only` says that not every two models are compared."""

    batch: PublishedBatch
    contrasts: tuple[Matchup, ...]
    models: tuple[Matchup, ...]
    neighbours_only: bool

    @property
    def all(self) -> tuple[Matchup, ...]:
        """Contrasts, then models."""
        return (*self.contrasts, *self.models)

    @property
    def page(self) -> str:
        """Where the list of them stands."""
        return comparisons_page(self.batch.report.batch_id)


def contrast_slug(contrast_id: str, model_key: str) -> str:
    """The name of a contrast of a model. No id and no key holds a dot."""
    return f"contrast.{contrast_id}.{model_key}"


def matchups_of(batch: PublishedBatch) -> Matchups:
    """The comparisons of a batch; none of a withdrawn one."""
    report = batch.report
    if batch.withdrawn:
        return Matchups(batch=batch, contrasts=(), models=(), neighbours_only=False)
    runs = {(run.model_key, run.case_id, run.variant_id, run.repeat): run for run in report.runs}
    models = sorted(report.definition.models, key=lambda model: (_falling(report, model), model.key))
    few = len(models) <= ALL_PAIRS
    return Matchups(
        batch=batch,
        contrasts=tuple(_contrasts(batch, runs)),
        models=tuple(_models(batch, runs, combinations(models, 2) if few else pairwise(models))),
        neighbours_only=not few,
    )


_Runs = dict[tuple[str, str, str, int], RunFacts]


def _falling(report: Report, model: FrozenModel) -> Decimal:
    rate = report.models[model.key].metrics["pass-rate"]
    return -Decimal(rate) if rate is not None else Decimal(1)


def _contrasts(batch: PublishedBatch, runs: _Runs) -> Iterator[Matchup]:
    definition = batch.report.definition
    for contrast in definition.template.contrasts:
        for model in definition.models:
            yield Matchup(
                kind="contrast",
                slug=contrast_slug(contrast.id, model.key),
                batch=batch,
                left=_arm(model, variants_of(contrast.baseline)),
                right=_arm(model, variants_of(contrast.treatment)),
                contrast=contrast,
                pairings=_pairings(batch.report, runs, (model.key, model.key), contrast.pairs),
            )


def _arm(model: FrozenModel, variants: Sequence[str]) -> Side:
    if len(variants) > 3:
        name: str | Sayable = Message(
            "%(first)s and %(count)s further variants", first=variants[0], count=len(variants) - 1
        )
    else:
        name = Joined(tuple(variants))
    return Side(name=name, model=model, variants=tuple(variants))


def _models(batch: PublishedBatch, runs: _Runs, chosen: Iterator[tuple[FrozenModel, FrozenModel]]) -> Iterator[Matchup]:
    """Of two models the one that stands higher is the right one: what it won is what set it there."""
    variants = tuple(variant.id for variant in batch.report.definition.variants)
    for higher, lower in chosen:
        first, second = sorted((higher.key, lower.key))
        yield Matchup(
            kind="models",
            slug=f"models.{first}.{second}",
            batch=batch,
            left=Side(name=lower.display_name, model=lower, variants=variants),
            right=Side(name=higher.display_name, model=higher, variants=variants),
            contrast=None,
            pairings=_pairings(batch.report, runs, (lower.key, higher.key), [(name, name) for name in variants]),
        )


def _pairings(
    report: Report, runs: _Runs, models: tuple[str, str], variants: Sequence[tuple[str, str]]
) -> tuple[Pairing, ...]:
    """By case, then variant, then repeat: every planned place."""
    repeats = range(1, report.definition.template.repeats + 1)
    return tuple(
        Pairing(
            case_id=case.id,
            left_variant=left,
            right_variant=right,
            repeat=repeat,
            left=runs.get((models[0], case.id, left, repeat)),
            right=runs.get((models[1], case.id, right, repeat)),
        )
        for case in report.definition.cases
        for left, right in variants
        for repeat in repeats
    )
