from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dataset.measures.numbers_chinese import read_chinese


@pytest.mark.parametrize(
    ("numeral", "value", "exponent"),
    [
        ("五", "5", 0),
        ("十", "10", 0),
        ("十二", "12", 0),
        ("二十五", "25", 0),
        ("一百零三", "103", 0),
        ("两千", "2000", 0),
        ("三万", "30000", 4),
        ("三万五千", "35000", 0),
        ("一百二十万", "1200000", 4),
        ("一亿两千万", "120000000", 4),
        ("一万亿", "1000000000000", 12),
        ("二〇二六", "2026", 0),
        ("十二点五", "12.5", -1),
        ("一点二五万", "12500", 2),
    ],
)
def test_numeral_is_read_with_the_place_last_shown(numeral: str, value: str, exponent: int) -> None:
    assert read_chinese(numeral) == (Decimal(value), exponent)


@pytest.mark.parametrize("numeral", ["点", "五点", "点五", "五点十", "一点二点三"])
def test_characters_that_are_no_number_are_refused(numeral: str) -> None:
    assert read_chinese(numeral) is None


@given(st.text("零〇一二两三四五六七八九十百千万亿点", min_size=1, max_size=30))
def test_any_run_of_numerals_is_read_or_refused(numeral: str) -> None:
    reading = read_chinese(numeral)

    assert reading is None or reading[0] >= 0
