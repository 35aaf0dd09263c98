from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dataset.measures.numbers import (
    NumberTextError,
    contains_number,
    find_numbers,
    fold,
    matches_at_precision,
    read_number,
    states_same_number,
)

QUANTITIES = [
    ("1,234.5", "plain", "1234.5", -1),
    ("12,34,567", "plain", "1234567", 0),
    ("1.234,5", "plain", "1234.5", -1),
    ("1 234,5", "plain", "1234.5", -1),
    ("1\u00a0234\u00a0567", "plain", "1234567", 0),
    ("１，２３４．５", "plain", "1234.5", -1),
    ("٣٤", "plain", "34", 0),
    (".5", "plain", "0.5", -1),
    ("1.5e6", "plain", "1500000", 0),
    ("12.5%", "percent", "12.5", -1),
    ("１２．５％", "percent", "12.5", -1),
    ("12.5 percent", "percent", "12.5", -1),
    ("12.5 per cent", "percent", "12.5", -1),
    ("2 percentage points", "percent", "2", 0),
    ("百分之十二点五", "percent", "12.5", -1),
    ("百分之12.5", "percent", "12.5", -1),
    ("千分之1.5", "percent", "0.15", -2),
    ("0.5‰", "percent", "0.05", -2),
    ("5个百分点", "percent", "5", 0),
    ("3万", "plain", "30000", 4),
    ("42.05亿元", "amount", "4205000000", 6),
    ("1.2万亿元", "amount", "1200000000000", 11),
    ("一百二十万元", "amount", "1200000", 4),
    ("1.2 million", "plain", "1200000", 5),
    ("$1.3m", "amount", "1300000", 5),
    ("US$4.2bn", "amount", "4200000000", 8),
    ("18.3k", "plain", "18300", 2),
    ("-3.2", "plain", "-3.2", -1),
    ("−3.2%", "percent", "-3.2", -1),
    ("负3.2%", "percent", "-3.2", -1),
    ("minus 4.5", "plain", "-4.5", -1),
    ("(1,234)", "plain", "-1234", 0),
    ("-$250.40", "amount", "-250.40", -2),
    ("$-250.40", "amount", "-250.40", -2),
    ("HK$100", "amount", "100", 0),
    ("CNY1,200", "amount", "1200", 0),
    ("100 USD", "amount", "100", 0),
    ("人民币100元", "amount", "100", 0),
    ("￥250.4", "amount", "250.4", -1),
    ("100美元", "amount", "100", 0),
]


@pytest.mark.parametrize(("text", "kind", "value", "exponent"), QUANTITIES)
def test_quantity_is_read_whole_with_its_scale_and_unit(text: str, kind: str, value: str, exponent: int) -> None:
    (found,) = find_numbers(text)

    assert (found.text, found.kind, found.value, found.exponent) == (text, kind, Decimal(value), exponent)


@pytest.mark.parametrize(
    ("text", "currency"),
    [
        ("$5", "USD"),
        ("HK$5", "HKD"),
        ("¥5", "CNY"),
        ("€5", "EUR"),
        ("5 RMB", "CNY"),
        ("5港元", "HKD"),
        ("5 yuan", "CNY"),
        ("JPY 5", "JPY"),
    ],
)
def test_currency_is_given_by_its_code(text: str, currency: str) -> None:
    assert find_numbers(text)[0].currency == currency


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2026-03-31", "2026-03-31"),
        ("2026/3/31", "2026-03-31"),
        ("2026.03.31", "2026-03-31"),
        ("20260331", "2026-03-31"),
        ("March 31, 2026", "2026-03-31"),
        ("Mar. 31st, 2026", "2026-03-31"),
        ("31 March 2026", "2026-03-31"),
        ("31-Mar-2026", "2026-03-31"),
        ("2026年3月31日", "2026-03-31"),
        ("２０２６年３月３１日", "2026-03-31"),
        ("31 March", "-----03-31"),
        ("3月31号", "-----03-31"),
        ("March 2026", "2026-03---"),
        ("2026年3月", "2026-03---"),
        ("2026年", "2026------"),
        ("FY2025", "2025------"),
        ("Q1 2026", "2026------"),
    ],
)
def test_date_is_read_in_every_format(text: str, date: str) -> None:
    (found,) = find_numbers(text)

    assert (found.text, found.kind, found.canonical) == (text, "date", date)


def test_slashed_date_has_both_readings() -> None:
    (found,) = find_numbers("3/4/2026")

    assert [str(date) for date in found.dates] == ["2026-03-04", "2026-04-03"]


def test_impossible_date_is_no_date() -> None:
    assert [mention.kind for mention in find_numbers("2026-13-45")] == ["identifier"]


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("09:30", "09:30"),
        ("9:30 am", "09:30"),
        ("3:00 pm", "15:00"),
        ("3 p.m.", "15:00"),
        ("９：３０", "09:30"),
        ("15点30分", "15:30"),
    ],
)
def test_time_is_read_as_minutes_of_the_day(text: str, moment: str) -> None:
    (found,) = find_numbers(text)

    assert (found.kind, found.canonical) == ("time", moment)


@pytest.mark.parametrize(
    "text", ["1. Open", "2) Choose", "- 10. Tap", "**3.** Tap", "（12）完成", "12、点击", "in Step 12", "第12步"]
)
def test_numbering_is_trivial(text: str) -> None:
    (found,) = find_numbers(text)

    assert (found.kind, found.is_trivial) == ("ordinal", True)


@pytest.mark.parametrize(
    "text", ["GBF-102", "000123", "ORD-20260312-7", "600519.SH", "1.2.3", "400-888-1234", "https://a.example/12?b=3"]
)
def test_identifier_is_one_mention(text: str) -> None:
    (found,) = find_numbers(text)

    assert (found.text, found.kind, found.is_trivial) == (text, "identifier", False)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("a 10-year bond", ["10"]),
        ("a 30-day window", ["30"]),
        ("10-15%", ["10", "15%"]),
        ("5%–8%", ["5%", "8%"]),
        ("top-10 holdings", ["10"]),
        ("US$4.2bn, USD 4.2 million", ["US$4.2bn", "USD 4.2 million"]),
        ("100, 200 and 300", ["100", "200", "300"]),
        ("_12.5%_ and **1.23**.", ["12.5%", "1.23"]),
        ("May 1–4, 2026", ["May 1", "4", "2026"]),
        ("费用为150元，共3万份", ["150元", "3万"]),
    ],
)
def test_neighbours_stay_apart(text: str, numbers: list[str]) -> None:
    assert [mention.text for mention in find_numbers(text)] == numbers


@pytest.mark.parametrize("text", ["7", "3 screens", "R3", "3月", "3点需要注意"])
def test_single_digits_and_labels_are_trivial(text: str) -> None:
    assert all(mention.is_trivial for mention in find_numbers(text))


@pytest.mark.parametrize("text", ["12", "5%", "$5", "3万", "0.5", "31日"])
def test_figures_are_not_trivial(text: str) -> None:
    assert not any(mention.is_trivial for mention in find_numbers(text))


@pytest.mark.parametrize("text", ["", "no digits", "十分重要", "万一", "①"])
def test_text_without_numbers_has_none(text: str) -> None:
    assert find_numbers(text) == ()


@pytest.mark.parametrize(
    ("shown", "source"),
    [
        ("1.23", "1.2345"),
        ("1.23", "1.23"),
        ("1.2300", "1.23"),
        ("0.12", "0.125"),  # half even
        ("0.13", "0.125"),  # half up
        ("1.2 million", "1234567"),
        ("about 1,200,000", "1234567"),
        ("123.5万", "1234567"),
        ("-3.2%", "-3.2"),
        ("48.62", "48.615"),
        ("1,234", "1234.4"),
    ],
)
def test_source_that_rounds_to_the_shown_number_matches(shown: str, source: str) -> None:
    assert matches_at_precision(find_numbers(shown)[0], Decimal(source))


@pytest.mark.parametrize(
    ("shown", "source"),
    [
        ("1.24", "1.2345"),
        ("1.2346", "1.2345"),
        ("1.3 million", "1234567"),
        ("1,200,000", "1234567"),
        ("about 1,000,000", "1234567"),
        ("3.2%", "-3.2"),
        ("4.2 million", "4200000000"),
        ("1.23", "NaN"),
        ("1.23", "1e999999"),
        ("GBF-102", "102"),
    ],
)
def test_source_that_does_not_round_to_the_shown_number_is_refused(shown: str, source: str) -> None:
    assert not matches_at_precision(find_numbers(shown)[0], Decimal(source))


@pytest.mark.parametrize(
    ("shown", "source"),
    [
        ("12.5%", "0.125"),
        ("0.125", "12.5%"),
        ("12.5%", "12.5"),
        ("12.5", "12.5%"),
        ("12.5%", "百分之十二点五"),
        ("March 31", "2026-03-31"),
        ("2026", "2026-03-31"),
        ("2026年", "2026-03-31"),
        ("04/03/2026", "2026-03-04"),
        ("3:00 pm", "15:00"),
        ("gbf-102", "GBF-102"),
        ("-1,234", "(1,234)"),
        ("$100", "100元"),
    ],
)
def test_mentions_of_one_number_agree(shown: str, source: str) -> None:
    assert states_same_number(find_numbers(shown)[0], find_numbers(source)[0])


@pytest.mark.parametrize(
    ("shown", "source"),
    [
        ("12.5", "0.125"),
        ("March 31, 2026", "March 31"),
        ("2026-03-31", "2026"),
        ("31", "2026-03-31"),
        ("10:15", "15:00"),
        ("GBF-102", "GBF-103"),
        ("GBF-102", "102"),
        ("3.2", "-3.2"),
    ],
)
def test_mentions_of_different_numbers_differ(shown: str, source: str) -> None:
    assert not states_same_number(find_numbers(shown)[0], find_numbers(source)[0])


def test_sign_is_free_where_the_caller_says_so() -> None:
    shown, source = find_numbers("3.2")[0], find_numbers("-3.2")[0]

    assert states_same_number(shown, source, either_sign=True)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("The NAV is about 1.23.", "1.2345"),
        ("规模约123万元", "1234567"),
        ("It returned 12.5%.", "0.125"),
        ("It returned 12.5%.", "12.5"),
        ("There are 3.", "3"),
        ("on March 31, 2026", "2026-03-31"),
    ],
)
def test_gold_number_is_found_as_the_answer_shows_it(text: str, value: str) -> None:
    assert contains_number(text, value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("The NAV is 1.24.", "1.2345"),
        ("1. Open the app", "1.2345"),
        ("about 1", "1.2345"),
        ("fell 3.2%", "-3.2"),
        ("", "5"),
        ("GBF-102", "102"),
    ],
)
def test_gold_number_that_is_not_stated_is_not_found(text: str, value: str) -> None:
    assert not contains_number(text, value)


def test_gold_number_with_free_sign_is_found_in_a_fall() -> None:
    assert contains_number("fell 3.2%", "-3.2", either_sign=True)


@pytest.mark.parametrize("text", ["", "about 5", "5 6", "five"])
def test_text_that_is_not_one_number_is_refused(text: str) -> None:
    with pytest.raises(NumberTextError, match="is not one number"):
        read_number(text)


ALPHABET = st.characters(codec="utf-8") | st.sampled_from("0123456789.,-%$¥()/:年月日万亿点百分之一二 \n" * 2)


@given(st.text(ALPHABET, max_size=80))
def test_mentions_lie_in_order_at_their_offsets_in_any_text(text: str) -> None:
    last = 0
    for mention in find_numbers(text):
        assert last <= mention.start < mention.end
        assert text[mention.start : mention.end] == mention.text
        last = mention.end


@given(st.text(max_size=80))
def test_folding_keeps_the_length(text: str) -> None:
    assert len(fold(text)) == len(text)


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**12), max_value=10**12, places=4))
def test_decimal_written_plainly_or_grouped_is_read_back(number: Decimal) -> None:
    for written in (f"{number:f}", f"{number:,f}"):
        (found,) = find_numbers(f"is {written} now")
        assert found.value == number
        assert matches_at_precision(found, number)


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=0, max_value=10**9, places=5), st.integers(0, 4))
def test_number_rounded_to_fewer_places_is_stated_by_its_source(number: Decimal, places: int) -> None:
    shown = find_numbers(f"is {round(number, places):f}")[0]

    assert matches_at_precision(shown, number)
