"""How a case is put to a model: tool delivery, context strategy and budget, language, system prompt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from dataset.record import SLUG, Locale, Record, Slug, VariantId, Version

ToolDelivery = Literal["scoped"]
ContextStrategy = Literal["full"]


class Variant(Record):
    """One versioned arm of an experiment."""

    id: Annotated[VariantId, SLUG]
    version: Version
    title: str
    locale: Locale
    tool_delivery: ToolDelivery
    context_strategy: ContextStrategy
    context_budget: Annotated[int, Field(ge=64, le=10_000_000)]
    prompt: Slug
    prompt_version: Version


VARIANT_AXES: Mapping[str, tuple[str, ...]] = {
    "language": ("locale",),
    "tool delivery": ("tool_delivery",),
    "context strategy": ("context_strategy",),
    "context budget": ("context_budget",),
    "prompt": ("prompt", "prompt_version"),
}
"""What an experiment can vary, with the fields that say it; the two variants of a contrast differ in exactly one."""


def differing_axes(one: Variant, other: Variant) -> tuple[str, ...]:
    """The axes in which two variants differ, in the order of VARIANT_AXES."""
    return tuple(
        axis for axis, fields in VARIANT_AXES.items() if any(getattr(one, f) != getattr(other, f) for f in fields)
    )
