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


def test_paired_difference_comes_near_the_textbook_value_in_a_large_sample() -> None:
    # Agresti, Categorical Data Analysis (3rd ed.), table 11.1: 1600 pairs, 150 against 86: difference 0.04, se 0.0095.
    # The exact error of the sample is 0.00955; half a pair in each of four cells moves it by less than 0.0001.
    found = paired_difference(150, 86, 1600)
    assert found is not None
    difference, low, high = found
    assert in_text(difference) == "0.0400"
    assert float(high - low) / 2 / 1.959964 == pytest.approx(0.00955, abs=1e-4)


def test_paired_difference_in_a_small_sample_gives_the_value_worked_by_hand() -> None:
    # b = 4, c = 3, n = 10: centre 1/12, spread 1.959964 * sqrt(8 - 1/12) / 12.
    found = paired_difference(4, 3, 10)
    assert found is not None
    assert [in_text(value) for value in found] == ["0.1000", "-0.3762", "0.5429"]


def test_arms_that_never_differ_still_have_an_interval_with_width() -> None:
    found = paired_difference(0, 0, 20)
    assert found is not None
    difference, low, high = found
    assert difference == 0
    assert float(high) == pytest.approx(1.959964 / 22, abs=1e-6)
    assert float(low) == pytest.approx(-float(high), abs=1e-12)


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
