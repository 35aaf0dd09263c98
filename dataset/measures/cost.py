"""What a run cost, and the tokens it is computed from. Unknown stays unknown, with its reason."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from dataset.artifacts.artifact import Cost, Usage
from dataset.artifacts.definition import Price

_PER_MILLION = Decimal(1_000_000)


def total_usage(usages: Sequence[Usage]) -> Usage:
    """The sum over the replies of a run; a count that any reply lacks is unknown for the run."""

    def total(name: str) -> int | None:
        counts = [getattr(usage, name) for usage in usages]
        return None if not counts or None in counts else sum(counts)

    return Usage(**{name: total(name) for name in Usage.model_fields})


def cost_of(usage: Usage, price: Price | None, *, broken: bool) -> tuple[Cost | None, str | None]:
    """The cost of a run at a price, or None and the reason why it isn't known. `broken`: a call of it failed."""
    if price is None:
        return None, "no price in the model registry"
    if broken:
        return None, "a call failed, so its usage is unknown"
    if usage.input_tokens is None or usage.output_tokens is None:
        return None, "the provider reported no usage"
    return money(usage.input_tokens, usage.output_tokens, price), None


def money(input_tokens: int, output_tokens: int, price: Price) -> Cost:
    """What so many tokens cost, without rounding and in one spelling."""
    spent = input_tokens * Decimal(price.input_per_million) + output_tokens * Decimal(price.output_per_million)
    return Cost(amount=format((spent / _PER_MILLION).normalize() + 0, "f"), currency=price.currency)
