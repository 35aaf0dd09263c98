"""What a batch is, fixed before anything runs: cases, variants, repeats, order, threshold, metrics."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field, field_validator

from dataset.record import SLUG, CaseId, DecimalText, Localised, Record, Slug, VariantId, Version


class Contrast(Record):
    """Two variants of the template that are compared on the same cases."""

    id: Slug
    title: Localised
    baseline: Annotated[VariantId, SLUG]
    treatment: Annotated[VariantId, SLUG]


class Template(Record):
    """A versioned batch design. Running with other numbers is another template.

    `valid_threshold` is the least share of planned runs in each group (model × variant) that must be valid for the
    batch to be published. `metrics` are ids of `dataset.measures.metric`, in the order the report shows them.
    """

    id: Slug
    version: Version
    title: Localised
    description: Localised
    cases: Literal["all"] | tuple[Annotated[CaseId, SLUG], ...]
    variants: tuple[Annotated[VariantId, SLUG], ...] = Field(min_length=1)
    repeats: Annotated[int, Field(ge=1, le=100)]
    order: Literal["by-case", "by-hash"]
    valid_threshold: DecimalText
    max_output_tokens: Annotated[int, Field(ge=1, le=1_000_000)]
    metrics: tuple[Slug, ...] = Field(min_length=1)
    contrasts: tuple[Contrast, ...] = ()

    @field_validator("valid_threshold")
    @classmethod
    def _is_a_share(cls, value: str) -> str:
        if not 0 < Decimal(value) <= 1:
            raise ValueError("valid_threshold is a share: more than 0, at most 1")
        return value
