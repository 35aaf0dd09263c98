"""What a run cost and used: unknown is unknown, never zero, and every token is counted once."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dataset.artifacts.artifact import Cost, HttpAttempt, ModelStep, Usage
from dataset.artifacts.price import Price
from dataset.measures.cost import call_cost, may_be_billed, most_cost, run_cost, total_cost, total_usage
from dataset.record import BatchId

DAY = "2026-03-31T12:00:00.000Z"
NIGHT = "2026-03-31T23:30:00.000Z"


def price(**fields: Any) -> Price:
    """A price in dollars; flat unless told otherwise."""
    base = {"currency": "USD", "as_of": "2026-01-31", "source": "https://x.example"}
    return Price.model_validate({**base, "input_per_million": "0.15", "output_per_million": "0.60", **fields})


PRICE = price()
TIERED = price(
    tiers=[{"above_input_tokens": 200, "input_per_million": "3", "output_per_million": "5"}],
    hours=[{"from": "23:00", "to": "06:00", "input_per_million": "1", "output_per_million": "2", "tiers": []}],
)


def step(*codes: str | None, error: str | None = None, usage: Usage | None = None, at: str = DAY) -> ModelStep:
    """A model step whose attempts ended with these codes."""
    return ModelStep(
        step=0,
        text="x",
        tool_calls=(),
        stop_reason="stop",
        finish_reason=None,
        usage=usage or Usage(),
        latency_ms=1,
        attempts=tuple(HttpAttempt(status=None, code=code, latency_ms=1) for code in codes),
        model_returned=None,
        request_id=None,
        system_fingerprint=None,
        error=error,
        started_at=at,
    )


def reply(tokens_in: int | None, tokens_out: int | None, at: str = DAY) -> ModelStep:
    return step(None, usage=Usage(input_tokens=tokens_in, output_tokens=tokens_out), at=at)


def test_cost_is_exact_decimal_arithmetic() -> None:
    steps = [reply(1_234_000, 3), reply(567, 4)]
    assert run_cost(steps, PRICE) == (Cost(amount="0.18518925", currency="USD"), None)


def test_no_tokens_at_a_known_price_cost_nothing() -> None:
    assert run_cost([reply(0, 0)], PRICE)[0] == Cost(amount="0", currency="USD")


def test_round_amounts_are_never_written_as_powers_of_ten() -> None:
    cost, _ = run_cost([reply(200_000_000, 0)], PRICE)
    assert cost is not None
    assert cost.amount == "30"


def test_the_longest_rate_and_the_largest_count_are_never_rounded() -> None:
    rate = "9" * 19 + "." + "9" * 20
    cost, _ = run_cost([reply(2**53 - 1, 2**53 - 1)] * 3, price(input_per_million=rate, output_per_million=rate))
    assert cost is not None
    assert int(cost.amount.replace(".", "")) == 6 * (2**53 - 1) * int(rate.replace(".", ""))


@pytest.mark.parametrize(
    ("steps", "at_price", "reason"),
    [
        ([reply(1, 1)], None, "no price"),
        ([step("read_timeout", None, usage=Usage(input_tokens=1, output_tokens=1))], PRICE, "an attempt failed"),
        ([reply(1, None)], PRICE, "no usage"),
        ([reply(None, 1)], PRICE, "no usage"),
        ([reply(1, 1), reply(None, None)], PRICE, "no usage"),
        ([], PRICE, "no usage"),
        ([step("rate_limited", error="rate_limited")], PRICE, "no usage"),
        ([step("output_truncated", error="output_truncated")], PRICE, "no usage"),
    ],
)
def test_an_unknown_cost_is_null_with_its_reason(steps: list[ModelStep], at_price: Price | None, reason: str) -> None:
    cost, why = run_cost(steps, at_price)
    assert cost is None
    assert why is not None
    assert reason in why


def test_each_call_is_priced_by_its_own_size_not_by_that_of_the_run() -> None:
    apart, _ = run_cost([reply(150, 0), reply(150, 0)], TIERED)
    at_once, _ = run_cost([reply(300, 0)], TIERED)
    assert (apart, at_once) == (Cost(amount="0.000045", currency="USD"), Cost(amount="0.0009", currency="USD"))


def test_a_tier_applies_to_the_whole_call_and_only_above_its_size() -> None:
    assert run_cost([reply(200, 10)], TIERED)[0] == Cost(amount="0.000036", currency="USD")
    assert run_cost([reply(201, 10)], TIERED)[0] == Cost(amount="0.000653", currency="USD")


def test_each_call_is_priced_by_its_own_start_and_a_window_replaces_the_tiers() -> None:
    assert run_cost([reply(300, 0, DAY), reply(300, 0, NIGHT)], TIERED)[0] == Cost(amount="0.0012", currency="USD")


@pytest.mark.parametrize(
    ("usage", "amount"),
    [
        (Usage(input_tokens=100, output_tokens=50, cache_read_tokens=40, reasoning_tokens=20), "0.00028"),
        (Usage(input_tokens=100, output_tokens=50, cache_read_tokens=0, reasoning_tokens=0), "0.0003"),
        (Usage(input_tokens=100, output_tokens=50, cache_read_tokens=100, reasoning_tokens=50), "0.00025"),
    ],
)
def test_cached_and_reasoning_tokens_cost_their_own_rate_instead_of_that_of_their_side(
    usage: Usage, amount: str
) -> None:
    apart = price(input_per_million="1", cache_read_per_million="0", output_per_million="4", reasoning_per_million="5")
    assert call_cost(usage, apart, started_at=DAY) == (Cost(amount=amount, currency="USD"), None)


@pytest.mark.parametrize(
    ("rates", "usage", "named"),
    [
        ({"cache_read_per_million": "0"}, Usage(input_tokens=3, output_tokens=1), "cached"),
        ({"cache_read_per_million": "0"}, Usage(input_tokens=3, output_tokens=1, cache_read_tokens=4), "cached"),
        ({"reasoning_per_million": "9"}, Usage(input_tokens=3, output_tokens=1), "reasoning"),
        ({"reasoning_per_million": "9"}, Usage(input_tokens=3, output_tokens=1, reasoning_tokens=2), "reasoning"),
    ],
)
def test_a_part_with_a_rate_of_its_own_that_is_missing_or_too_large_leaves_the_cost_unknown(
    rates: dict[str, str], usage: Usage, named: str
) -> None:
    cost, reason = call_cost(usage, price(**rates), started_at=DAY)
    assert cost is None
    assert reason is not None
    assert f"no sound count of {named} tokens" in reason


def test_parts_without_a_rate_of_their_own_change_nothing() -> None:
    plain, wrong = (Usage(input_tokens=3, output_tokens=1, cache_read_tokens=cached) for cached in (None, 99))
    assert call_cost(plain, PRICE, started_at=DAY) == call_cost(wrong, PRICE, started_at=DAY)


def test_an_answer_that_was_cut_off_costs_what_it_used() -> None:
    cut = step("rate_limited", "output_truncated", error="output_truncated", usage=reply(10, 100).usage)
    assert run_cost([reply(10, 0), cut], PRICE)[0] == Cost(amount="0.000063", currency="USD")


def test_usage_is_summed_over_steps() -> None:
    steps = [Usage(input_tokens=1, output_tokens=2, reasoning_tokens=3), Usage(input_tokens=4, output_tokens=5)]
    assert total_usage(steps) == Usage(input_tokens=5, output_tokens=7)


def test_no_step_means_unknown_usage() -> None:
    assert total_usage([]) == Usage()


@pytest.mark.parametrize(
    ("steps", "open_question"),
    [
        ([step(None)], False),
        ([step("rate_limited", "connect_timeout", None)], False),
        ([step("read_timeout", None)], True),
        ([step("provider_5xx", None), step(None)], True),
        ([step("network_error", error="network_error")], True),
        ([step("rate_limited", error="rate_limited")], False),
        ([step("output_truncated", error="output_truncated")], False),
        ([step(None, error="output_truncated")], False),
        ([step("read_timeout", "output_truncated", error="output_truncated")], True),
        ([step("read_timeout", error="output_truncated")], True),
        ([step("output_truncated", "output_truncated", error="output_truncated")], True),
        ([step("output_truncated", None)], True),
        ([], False),
    ],
)
def test_only_a_refused_request_is_surely_free(steps: list[ModelStep], open_question: bool) -> None:
    assert may_be_billed(steps) is open_question


def test_costs_in_two_currencies_are_never_added() -> None:
    with pytest.raises(ValueError, match="2 currencies"):
        total_cost([Cost(amount="1", currency="USD"), Cost(amount="1", currency="EUR")])


rates_text = st.decimals(min_value=0, max_value=10**6, places=6, allow_nan=False).map(
    lambda amount: format(amount + 0, "f")
)
optional_rate = st.none() | rates_text
counts = st.integers(min_value=0, max_value=2_000_000)
starts = st.times().map(lambda time: f"2026-03-31T{time.isoformat('seconds')}.000Z")


@st.composite
def tables(draw: st.DrawFn) -> dict[str, Any]:
    def rates() -> dict[str, Any]:
        return {
            "input_per_million": draw(rates_text),
            "output_per_million": draw(rates_text),
            "cache_read_per_million": draw(optional_rate),
            "reasoning_per_million": draw(optional_rate),
        }

    sizes = sorted(draw(st.sets(st.integers(min_value=1, max_value=1_500_000), max_size=3)))
    return {**rates(), "tiers": [{**rates(), "above_input_tokens": size} for size in sizes]}


@st.composite
def prices(draw: st.DrawFn) -> Price:
    times = sorted(draw(st.sets(st.times().map(lambda time: time.isoformat("minutes")), min_size=4, max_size=4)))
    spans = draw(st.sampled_from([(), ((0, 1),), ((0, 1), (2, 3)), ((1, 2), (3, 0))]))
    hours = [{**draw(tables()), "from": times[a], "to": times[b]} for a, b in spans]
    return price(**draw(tables()), hours=hours)


@st.composite
def usages(draw: st.DrawFn) -> Usage:
    tokens_in, tokens_out = draw(counts), draw(counts)
    return Usage(
        input_tokens=tokens_in,
        output_tokens=tokens_out,
        cache_read_tokens=draw(st.integers(min_value=0, max_value=tokens_in)),
        reasoning_tokens=draw(st.integers(min_value=0, max_value=tokens_out)),
    )


def amount(found: tuple[Cost | None, str | None]) -> Decimal:
    assert found[0] is not None, found[1]
    return Decimal(found[0].amount)


@given(prices(), usages(), starts, counts, counts)
def test_no_call_costs_more_than_the_bound_of_its_limits(
    at: Price, usage: Usage, start: str, spare_in: int, spare_out: int
) -> None:
    assert usage.input_tokens is not None
    assert usage.output_tokens is not None
    bound = most_cost(
        at, input_tokens=usage.input_tokens + spare_in, output_tokens=usage.output_tokens + spare_out, calls=1
    )
    assert amount(call_cost(usage, at, started_at=start)) <= Decimal(bound.amount)


@given(prices(), counts, counts, st.integers(min_value=0, max_value=1000))
def test_the_bound_of_many_calls_is_that_many_bounds(at: Price, tokens_in: int, tokens_out: int, calls: int) -> None:
    one, many = (most_cost(at, input_tokens=tokens_in, output_tokens=tokens_out, calls=n) for n in (1, calls))
    assert Decimal(many.amount) == calls * Decimal(one.amount)


@given(prices(), st.lists(st.tuples(usages(), starts), min_size=1, max_size=5))
def test_a_run_costs_the_sum_of_its_calls(at: Price, calls: list[tuple[Usage, str]]) -> None:
    steps = [step(None, usage=usage, at=start) for usage, start in calls]
    whole = amount(run_cost(steps, at))
    assert whole == sum(amount(call_cost(usage, at, started_at=start)) for usage, start in calls)


@given(prices(), usages(), starts)
def test_every_token_is_counted_once(at: Price, usage: Usage, start: str) -> None:
    """Where a part costs what the rest of its side costs, telling it apart makes no difference."""
    body = at.body()

    def evened(table: dict[str, Any], *, apart: bool) -> dict[str, Any]:
        even = {k: [evened(v, apart=apart) for v in vs] if isinstance(vs, list) else vs for k, vs in table.items()}
        even["cache_read_per_million"] = table["input_per_million"] if apart else None
        even["reasoning_per_million"] = table["output_per_million"] if apart else None
        return even

    assert isinstance(body, dict)
    told, untold = (Price.model_validate(evened(body, apart=apart)) for apart in (True, False))
    assert call_cost(usage, told, started_at=start) == call_cost(usage, untold, started_at=start)


def test_a_replayed_answer_costs_nothing_again_and_says_where_it_was_paid_for() -> None:
    cost, reason = run_cost([reply(100, 10)], PRICE, replay_of=BatchId("b1"))
    assert cost is None
    assert reason == "replayed: its answers belong to batch b1, where they were paid for"
