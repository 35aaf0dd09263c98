"""Forms that can't match are passed over; what is found is the same as when every form is tried."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from dataset.measures.numbers_scan import _FORMS, _found, find_numbers

_PIECES = (
    *"0123456789 .,-/:%()$¥€年月日号点时分万亿一二三十百负",
    *("19", "20", "2026", "03", "Mar", "May ", "st", "th", "am", "p.m.", "Q1", "FY", "http://", "www.", "GBF-", "R"),
    *(" to ", "step ", "第", "步", "\n", "million", "bn", "k", "CNY", "yuan", "percent", "百分之", "下午", "\x00", "ſ"),
)
_EVERY_FORM = [replace(form, needs=None) for form in _FORMS]


@given(st.lists(st.sampled_from(_PIECES), max_size=14).map("".join))
@settings(max_examples=1500)
def test_passing_over_forms_changes_no_number(text: str) -> None:
    some = any(char.isdecimal() or char in "零〇一二两三四五六七八九十百千万亿" for char in text)
    assert find_numbers(text) == (_found(text, _EVERY_FORM) if some else ())


def test_a_text_that_is_read_again_gives_the_same_numbers() -> None:
    text = "On 2026-03-31 the fund GBF-102 stood at 1.2345, up 3.2% from CNY 1,196."
    assert find_numbers(text) == find_numbers(text) == _found(text, _EVERY_FORM)
    assert [mention.canonical for mention in find_numbers(text)] == ["2026-03-31", "GBF-102", "1.2345", "3.2", "1196"]


def test_a_long_text_is_read_as_its_parts_are() -> None:
    line = "It paid 3.5 on 2026-03-31. "
    assert len(find_numbers(line * 100)) == 100 * len(find_numbers(line))
