"""Money in another currency: by a dated rate for exactly that pair, or not at all."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from dataset.artifacts.artifact import Cost
from dataset.measures.exchange import FxSnapshot, convert

DOLLARS = Cost(amount="0.10", currency="USD")


def snapshot(pair: str, rate: str) -> FxSnapshot:
    return FxSnapshot(pair=pair, rate=rate, as_of="2026-01-31", source="central bank")


def test_an_amount_is_multiplied_exactly() -> None:
    assert convert(DOLLARS, "CNY", [snapshot("EUR/CNY", "8"), snapshot("USD/CNY", "7.123456789")]) == (
        Cost(amount="0.7123456789", currency="CNY"),
        None,
    )


def test_an_amount_in_the_wanted_currency_needs_no_rate() -> None:
    assert convert(DOLLARS, "USD", []) == (DOLLARS, None)


@pytest.mark.parametrize(
    "known",
    [[], [snapshot("CNY/USD", "0.14")], [snapshot("USD/EUR", "0.9"), snapshot("EUR/CNY", "8")]],
    ids=["nothing", "inverse", "cross"],
)
def test_without_the_exact_pair_the_amount_is_unknown_and_the_pair_is_named(known: list[FxSnapshot]) -> None:
    assert convert(DOLLARS, "CNY", known) == (None, "no dated exchange rate for USD/CNY")


@pytest.mark.parametrize(
    ("pair", "rate"), [("USD/USD", "1"), ("USD/CNY", "0"), ("USD/CNY", "-7"), ("usd/cny", "7"), ("USDCNY", "7")]
)
def test_a_rate_that_means_nothing_is_refused(pair: str, rate: str) -> None:
    with pytest.raises(ValidationError):
        snapshot(pair, rate)
