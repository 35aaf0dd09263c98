"""Intervals against independent implementations and known values."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from dataset.measures.interval import MIN_PAIRS, in_text, paired_difference, share, wilson


@given(st.integers(1, 2000), st.data())
def test_wilson_interval_equals_scipy(valid: int, data: st.DataObject) -> None:
    passed = data.draw(st.integers(0, valid))
    interval = wilson(passed, valid)
    assert interval is not None
    expected = binomtest(passed, valid).proportion_ci(method="wilson")
    assert float(interval[0]) == pytest.approx(expected.low, abs=1e-9)
    assert float(interval[1]) == pytest.approx(expected.high, abs=1e-9)


def test_no_valid_run_has_no_interval_and_no_rate() -> None:
    assert wilson(0, 0) is None
    assert share(0, 0) is None


def test_paired_difference_gives_the_textbook_value() -> None:
    # Agresti, Categorical Data Analysis (3rd ed.), table 11.1: 1600 pairs, 150 against 86: difference 0.04, se 0.0095.
    found = paired_difference(150, 86, 1600)
    assert found is not None
    difference, low, high = found
    assert in_text(difference) == "0.0400"
    assert float(difference - low) / 1.959964 == pytest.approx(0.0095, abs=5e-5)
    assert in_text(high) == "0.0587"


def test_too_few_pairs_are_not_enough_evidence() -> None:
    assert paired_difference(3, 1, MIN_PAIRS - 1) is None
    assert paired_difference(3, 1, MIN_PAIRS) is not None


@pytest.mark.parametrize(
    ("value", "text"),
    [("0.00005", "0.0000"), ("0.00015", "0.0002"), ("-0.00001", "0.0000"), ("1", "1.0000"), ("0.66666", "0.6667")],
)
def test_rates_are_written_with_four_places_half_to_even(value: str, text: str) -> None:
    assert in_text(Decimal(value)) == text


def test_unknown_stays_unknown() -> None:
    assert in_text(None) is None
