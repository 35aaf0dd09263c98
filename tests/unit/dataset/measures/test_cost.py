"""What a run cost and used: unknown is unknown, never zero."""

from __future__ import annotations

import pytest

from dataset.artifacts.artifact import Cost, HttpAttempt, ModelStep, Usage
from dataset.artifacts.definition import Price
from dataset.measures.cost import cost_of, may_be_billed, total_usage

PRICE = Price(
    currency="USD", input_per_million="0.15", output_per_million="0.60", as_of="2026-01-31", source="https://x.example"
)


def test_cost_is_exact_decimal_arithmetic() -> None:
    cost, reason = cost_of(Usage(input_tokens=1_234_567, output_tokens=7), PRICE, broken=False)
    assert (cost, reason) == (Cost(amount="0.18518925", currency="USD"), None)


def test_no_tokens_at_a_known_price_cost_nothing() -> None:
    assert cost_of(Usage(input_tokens=0, output_tokens=0), PRICE, broken=False)[0] == Cost(amount="0", currency="USD")


def test_round_amounts_are_never_written_as_powers_of_ten() -> None:
    cost, _ = cost_of(Usage(input_tokens=200_000_000, output_tokens=0), PRICE, broken=False)
    assert cost is not None
    assert cost.amount == "30"


@pytest.mark.parametrize(
    ("usage", "price", "broken", "reason"),
    [
        (Usage(input_tokens=1, output_tokens=1), None, False, "no price"),
        (Usage(input_tokens=1, output_tokens=1), PRICE, True, "an attempt failed"),
        (Usage(input_tokens=1), PRICE, False, "no usage"),
        (Usage(output_tokens=1), PRICE, False, "no usage"),
        (Usage(), PRICE, False, "no usage"),
    ],
)
def test_an_unknown_cost_is_null_with_its_reason(usage: Usage, price: Price | None, broken: bool, reason: str) -> None:
    cost, why = cost_of(usage, price, broken=broken)
    assert cost is None
    assert why is not None
    assert reason in why


def test_usage_is_summed_over_steps() -> None:
    steps = [Usage(input_tokens=1, output_tokens=2, reasoning_tokens=3), Usage(input_tokens=4, output_tokens=5)]
    assert total_usage(steps) == Usage(input_tokens=5, output_tokens=7)


def test_no_step_means_unknown_usage() -> None:
    assert total_usage([]) == Usage()


def step(*codes: str | None, error: str | None = None) -> ModelStep:
    """A model step whose attempts ended with these codes."""
    return ModelStep(
        step=0,
        text="x",
        tool_calls=(),
        stop_reason="stop",
        finish_reason=None,
        usage=Usage(),
        latency_ms=1,
        attempts=tuple(HttpAttempt(status=None, code=code, latency_ms=1) for code in codes),
        model_returned=None,
        request_id=None,
        system_fingerprint=None,
        error=error,
        started_at="2026-03-31T00:00:00.000Z",
    )


@pytest.mark.parametrize(
    ("steps", "open_question"),
    [
        ([step(None)], False),
        ([step("rate_limited", "connect_timeout", None)], False),
        ([step("read_timeout", None)], True),
        ([step("provider_5xx", None), step(None)], True),
        ([step("network_error", error="network_error")], True),
        ([step("rate_limited", error="rate_limited")], False),
        ([], False),
    ],
)
def test_only_a_refused_request_is_surely_free(steps: list[ModelStep], open_question: bool) -> None:
    assert may_be_billed(steps) is open_question
