"""What a run cost, and the tokens it is computed from. Unknown stays unknown, with its reason."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from dataset.artifacts.artifact import Cost, ModelStep, Usage
from dataset.artifacts.definition import Price

_PER_MILLION = Decimal(1_000_000)


def total_usage(usages: Sequence[Usage]) -> Usage:
    """The sum over the replies of a run; a count that any reply lacks is unknown for the run."""

    def total(name: str) -> int | None:
        counts = [getattr(usage, name) for usage in usages]
        return None if not counts or None in counts else sum(counts)

    return Usage(**{name: total(name) for name in Usage.model_fields})


def cost_of(usage: Usage, price: Price | None, *, broken: bool) -> tuple[Cost | None, str | None]:
    """The cost of a run at a price, or None and the reason why it isn't known.

    `broken`: an attempt of it failed after it may have been billed (`may_be_billed`).
    """
    if price is None:
        return None, "no price in the model registry"
    if broken:
        return None, "an attempt failed that may have been billed"
    if usage.input_tokens is None or usage.output_tokens is None:
        return None, "the provider reported no usage"
    return money(usage.input_tokens, usage.output_tokens, price), None


UNBILLED = frozenset({"rate_limited", "connect_timeout", "authentication_error", "provider_4xx", "context_overflow"})
"""Failures in which no answer was made: a server that refuses a request doesn't charge for it."""


def may_be_billed(steps: Sequence[ModelStep]) -> bool:
    """Whether any attempt of these steps failed in a way that leaves open what it cost."""
    codes = {attempt.code for step in steps for attempt in step.attempts} | {step.error for step in steps}
    return bool(codes - UNBILLED - {None})


def money(input_tokens: int, output_tokens: int, price: Price) -> Cost:
    """What so many tokens cost, without rounding and in one spelling."""
    spent = input_tokens * Decimal(price.input_per_million) + output_tokens * Decimal(price.output_per_million)
    return Cost(amount=format((spent / _PER_MILLION).normalize() + 0, "f"), currency=price.currency)
