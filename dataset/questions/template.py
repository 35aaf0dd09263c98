"""What a batch is, fixed before anything runs: cases, variants, repeats, order, threshold, metrics."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Annotated, Literal, Self, TypeVar

from pydantic import Field, ValidationInfo, field_validator, model_validator

from dataset.record import SLUG, CaseId, DecimalText, Localised, Record, Slug, VariantId, Version

T = TypeVar("T")

ArmVariants = Annotated[VariantId, SLUG] | Annotated[tuple[Annotated[VariantId, SLUG], ...], Field(min_length=2)]
"""One variant, or several that are one arm of a contrast together."""


class Contrast(Record):
    """Two arms of the template that are compared on the same cases.

    Where an arm is several variants, each is compared with the one in its place in the other arm (the same language and
    budget, another strategy), and the pairs of all of them are counted together.
    """

    id: Slug
    title: Localised
    baseline: ArmVariants
    treatment: ArmVariants

    @property
    def pairs(self) -> tuple[tuple[VariantId, VariantId], ...]:
        """The variants that are compared with each other: (baseline, treatment)."""
        return tuple(zip(variants_of(self.baseline), variants_of(self.treatment), strict=True))

    @model_validator(mode="after")
    def _compares_like_with_like(self) -> Self:
        baseline, treatment = variants_of(self.baseline), variants_of(self.treatment)
        if len(baseline) != len(treatment):
            raise ValueError(f"{len(baseline)} variants are compared with {len(treatment)}: each needs its counterpart")
        if same := [one for one, other in zip(baseline, treatment, strict=True) if one == other]:
            raise ValueError(f"compares {same[0]!r} with itself")
        for arm in (baseline, treatment):
            _refuse_repeats(arm)
        return self


def variants_of(arm: ArmVariants) -> tuple[VariantId, ...]:
    """The variants of an arm, be it one or several."""
    return arm if isinstance(arm, tuple) else (arm,)


class Template(Record):
    """A versioned batch design. Running with other numbers is another template.

    `valid_threshold` is the least share of planned runs in each group (model × variant) that must be valid for the
    batch to be published. `max_output_tokens` null: no limit is sent, and no limit on tokens or cost can hold.
    `metrics` are ids of `dataset.measures.metric`, in the order the report shows them.
    """

    id: Slug
    version: Version
    title: Localised
    description: Localised
    cases: Literal["all"] | Annotated[tuple[Annotated[CaseId, SLUG], ...], Field(min_length=1)]
    variants: tuple[Annotated[VariantId, SLUG], ...] = Field(min_length=1)
    repeats: Annotated[int, Field(ge=1, le=100)]
    order: Literal["by-case", "by-hash"]
    valid_threshold: DecimalText
    max_output_tokens: Annotated[int, Field(ge=1, le=1_000_000)] | None
    metrics: tuple[Slug, ...] = Field(min_length=1)
    contrasts: tuple[Contrast, ...] = ()

    @field_validator("valid_threshold")
    @classmethod
    def _is_a_share(cls, value: str) -> str:
        if not 0 < Decimal(value) <= 1:
            raise ValueError("valid_threshold is a share: more than 0, at most 1")
        return value

    @field_validator("cases", "variants", "metrics")
    @classmethod
    def _lists_each_once(cls, value: T) -> T:
        if isinstance(value, tuple):
            _refuse_repeats(value)
        return value

    @field_validator("contrasts")
    @classmethod
    def _contrasts_what_it_runs(cls, value: tuple[Contrast, ...], info: ValidationInfo) -> tuple[Contrast, ...]:
        _refuse_repeats([contrast.id for contrast in value])
        variants = info.data.get("variants")
        for contrast in value:
            for variant in (name for pair in contrast.pairs for name in pair):
                if variants is not None and variant not in variants:
                    raise ValueError(f"contrast {contrast.id!r}: variant {variant!r} is not in this template")
        return value


def _refuse_repeats(names: Sequence[str]) -> None:
    for i, name in enumerate(names):
        if name in names[:i]:
            raise ValueError(f"{name!r} is listed twice")
