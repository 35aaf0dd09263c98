"""What a run cost and used: unknown is unknown, never zero."""

from __future__ import annotations

import pytest

from dataset.artifacts.artifact import Cost, Usage
from dataset.artifacts.definition import Price
from dataset.measures.cost import cost_of, total_usage

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
        (Usage(input_tokens=1, output_tokens=1), PRICE, True, "a call failed"),
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
