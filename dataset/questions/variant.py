"""How a case is put to a model: tool delivery, context strategy and budget, language, system prompt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from dataset.record import ABSENT, SLUG, Locale, Record, Slug, VariantId, Version

ToolDelivery = Literal["scoped", "search"]
ContextStrategy = Literal["full", "recent-n", "single-summary", "budgeted"]


class Variant(Record):
    """One versioned arm of an experiment.

    `context_budget` is what a model call may hold in all, in tokens of `dataset.context.token_counter`;
    `context_reserve` is the part of it that the opening leaves free for tool schemas and the turns that follow.
    `context_window` is the number of session entries that `recent-n` looks back on, and that strategy's alone.
    """

    id: Annotated[VariantId, SLUG]
    version: Version
    title: str
    locale: Locale
    tool_delivery: ToolDelivery
    context_strategy: ContextStrategy
    context_budget: Annotated[int, Field(ge=64, le=10_000_000)]
    context_reserve: Annotated[Annotated[int, Field(ge=0, le=10_000_000)] | None, ABSENT] = None
    context_window: Annotated[Annotated[int, Field(ge=1, le=100_000)] | None, ABSENT] = None
    prompt: Slug
    prompt_version: Version

    @property
    def opening_budget(self) -> int:
        """The tokens that the opening of a run may take."""
        return self.context_budget - (self.context_reserve or 0)

    @model_validator(mode="after")
    def _has_what_its_strategy_needs(self) -> Self:
        if (self.context_strategy == "recent-n") != (self.context_window is not None):
            raise ValueError("`context_window` says how far `recent-n` looks back: it needs one, no other strategy has")
        if self.opening_budget <= 0:
            raise ValueError("`context_reserve` leaves nothing of `context_budget` for the opening")
        return self


VARIANT_AXES: Mapping[str, tuple[str, ...]] = {
    "language": ("locale",),
    "tool delivery": ("tool_delivery",),
    "context strategy": ("context_strategy", "context_window"),
    "context budget": ("context_budget", "context_reserve"),
    "prompt": ("prompt", "prompt_version"),
}
"""What an experiment can vary, with the fields that say it; the two variants of a contrast differ in exactly one."""


def differing_axes(one: Variant, other: Variant) -> tuple[str, ...]:
    """The axes in which two variants differ, in the order of VARIANT_AXES."""
    return tuple(
        axis for axis, fields in VARIANT_AXES.items() if any(getattr(one, f) != getattr(other, f) for f in fields)
    )
