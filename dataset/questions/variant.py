"""How a case is put to a model: tool delivery, context strategy and budget, language, system prompt."""

from __future__ import annotations

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


VARIANT_AXES = ("locale", "tool_delivery", "context_strategy", "context_budget", "prompt", "prompt_version")
"""The fields in which two variants of a contrast may differ."""
