from __future__ import annotations

from decimal import Decimal

import pytest

from dataset.measures.rounding import rounded


@pytest.mark.parametrize(
    ("value", "place", "expected"),
    [
        ("0.125", "0.01", "0.12"),
        ("0.135", "0.01", "0.14"),
        ("-0.004", "0.01", "-0.00"),
        ("1" + "0" * 26, "0.01", "1" + "0" * 26 + ".00"),
        ("9" * 400 + ".995", "0.01", "1" + "0" * 400 + ".00"),
        ("1", "0." + "0" * 399 + "1", "1." + "0" * 400),
    ],
)
def test_a_number_of_any_size_is_rounded_half_to_even(value: str, place: str, expected: str) -> None:
    assert format(rounded(Decimal(value), Decimal(place)), "f") == expected
