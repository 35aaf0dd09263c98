"""What a run cost, and the tokens it is computed from. Unknown stays unknown, with its reason.

Each call is priced on its own, because its rates can depend on its size and its start; a run costs what its calls cost.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Context, Decimal, localcontext

from dataset.artifacts.artifact import Cost, ModelStep, Usage
from dataset.artifacts.price import Price, Rates
from dataset.measures.truncation import OUTPUT_TRUNCATED, is_reply
from dataset.record import BatchId

EXACT = Context(prec=200)
"""Enough digits that no product or sum of token counts, rates and exchange rates is ever rounded."""
_PER_MILLION = Decimal("0.000001")
_NO_USAGE = "the provider reported no usage"


def total_usage(usages: Sequence[Usage]) -> Usage:
    """The sum over the replies of a run; a count that any reply lacks is unknown for the run."""

    def total(name: str) -> int | None:
        counts = [getattr(usage, name) for usage in usages]
        return None if not counts or None in counts else sum(counts)

    return Usage(**{name: total(name) for name in Usage.model_fields})


def run_cost(
    steps: Sequence[ModelStep], price: Price | None, *, replay_of: BatchId | None = None
) -> tuple[Cost | None, str | None]:
    """The cost of a run at a price, or None and the reason why there is none: it isn't known, or the answers were
    recorded by the batch `replay_of`, where they were paid for once and are counted."""
    if replay_of is not None:
        return None, f"replayed: its answers belong to batch {replay_of}, where they were paid for"
    if price is None:
        return None, "no price in the model registry"
    if may_be_billed(steps):
        return None, "an attempt failed that may have been billed"
    costs: list[Cost] = []
    for step in filter(is_reply, steps):
        cost, reason = call_cost(step.usage, price, started_at=step.started_at)
        if cost is None:
            return None, reason
        costs.append(cost)
    return (total_cost(costs), None) if costs else (None, _NO_USAGE)


def call_cost(usage: Usage, price: Price, *, started_at: str) -> tuple[Cost | None, str | None]:
    """The cost of one call that started then (UTC ISO 8601), or None and the reason why it isn't known.

    Every token is counted once. A part with a rate of its own must be reported, and be no more than its side.
    """
    if usage.input_tokens is None or usage.output_tokens is None:
        return None, _NO_USAGE
    rates = price.rates_of(usage.input_tokens, started_at)
    with localcontext(EXACT):
        given = _side(
            usage.input_tokens, rates.input_per_million, usage.cache_read_tokens, rates.cache_read_per_million
        )
        made = _side(usage.output_tokens, rates.output_per_million, usage.reasoning_tokens, rates.reasoning_per_million)
        if given is None or made is None:
            part = "cached" if given is None else "reasoning"
            return None, f"the provider reported no sound count of {part} tokens, which have a rate of their own"
        return _cost((given + made) * _PER_MILLION, price.currency), None


def most_cost(price: Price, *, input_tokens: int, output_tokens: int, calls: int = 1) -> Cost:
    """What so many calls can cost at most, each with at most so many tokens: all at the dearest rate within reach,
    whatever the hour and however many of them are cached or reasoning."""
    with localcontext(EXACT):
        dearest = max(_most(rates, input_tokens, output_tokens) for rates in price.rates_up_to(input_tokens))
        return _cost(calls * dearest * _PER_MILLION, price.currency)


def total_cost(costs: Sequence[Cost]) -> Cost:
    """The sum of one or more costs in one currency; ValueError where there are several, which nothing may add."""
    currencies = {cost.currency for cost in costs}
    if len(currencies) != 1:
        raise ValueError(f"no sum over {len(currencies)} currencies")
    with localcontext(EXACT):
        return _cost(sum((Decimal(cost.amount) for cost in costs), Decimal(0)), currencies.pop())


def amount_text(amount: Decimal) -> str:
    """An amount in its one spelling: no exponent, no trailing zeros. Rounds to the digits of the active context."""
    return format(amount.normalize() + 0, "f")


UNBILLED = frozenset({"rate_limited", "connect_timeout", "authentication_error", "provider_4xx", "context_overflow"})
"""Failures in which no answer was made: a server that refuses a request doesn't charge for it."""


def may_be_billed(steps: Sequence[ModelStep]) -> bool:
    """Whether any attempt of these steps failed in a way that leaves open what it cost."""
    return any(code is not None and code not in UNBILLED for step in steps for code in _open_codes(step))


def _open_codes(step: ModelStep) -> Iterator[str | None]:
    codes = [attempt.code for attempt in step.attempts]
    if step.error == OUTPUT_TRUNCATED:
        # Its last try is the answer that was cut off, which has a usage and so a cost.
        yield from codes[:-1] if codes and codes[-1] in (None, OUTPUT_TRUNCATED) else codes
    else:
        yield from (*codes, step.error)


def _side(tokens: int, rate: str, part: int | None, part_rate: str | None) -> Decimal | None:
    if part_rate is None:
        return tokens * Decimal(rate)
    if part is None or part > tokens:
        return None
    return (tokens - part) * Decimal(rate) + part * Decimal(part_rate)


def _most(rates: Rates, input_tokens: int, output_tokens: int) -> Decimal:
    given = max(Decimal(rates.input_per_million), Decimal(rates.cache_read_per_million or 0))
    made = max(Decimal(rates.output_per_million), Decimal(rates.reasoning_per_million or 0))
    return input_tokens * given + output_tokens * made


def _cost(amount: Decimal, currency: str) -> Cost:
    return Cost(amount=amount_text(amount), currency=currency)
