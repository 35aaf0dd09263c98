import pytest

from dataset.measures.group import measure_group
from publisher.rendering import figures
from publisher.rendering.language.language import CHINESE
from publisher.rendering.language.message import Message


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (figures.percent("0.6667"), "66.7 %"),
        (figures.percent("1.0000"), "100.0 %"),
        (figures.points("-0.1250"), "−12.5 pp"),
        (figures.points("0.0500"), "+5.0 pp"),
        (figures.points("0.0000"), "±0.0 pp"),
        (figures.duration(0), "0 ms"),
        (figures.duration("999.4"), "999 ms"),
        (figures.duration("1234.50"), "1.2 s"),
        (figures.duration(125_400), "2 min 05 s"),
        (figures.grouped("12345.50"), "12,346"),
        (figures.money("0.000275", "USD"), "0.000275 USD"),
        (figures.money("0.00001234567", "USD"), "0.0000123 USD"),
        (figures.money("1234.5", "CNY"), "1,234.50 CNY"),
        (figures.money("0", "USD"), "0.00 USD"),
        (figures.money("1" + "000" * 11, "USD"), "1" + ",000" * 11 + ".00 USD"),
        (figures.money("1." + "0" * 400 + "1", "USD"), "1.00 USD"),
        (figures.money("0." + "0" * 400 + "12345", "USD"), "0." + "0" * 400 + "123 USD"),
        (figures.grouped("1" + "000" * 11), "1" + ",000" * 11),
        (figures.percent("1" + "0" * 40), "1" + "0" * 42 + ".0 %"),
    ],
)
def test_a_number_is_shown_as_a_person_reads_it(shown: str | Message, expected: str) -> None:
    assert str(shown).replace("\u00a0", " ") == expected


def test_an_unknown_value_is_a_word_and_never_zero() -> None:
    nothing = measure_group(3, [])
    for metric_id in ("cost", "pass-rate", "latency-median", "input-tokens"):
        assert figures.figure(metric_id, nothing).text == Message("unknown")
    assert figures.figure("valid-rate", nothing).text != Message("unknown")


def test_a_context_that_was_never_opened_is_told_apart_from_an_unknown_size() -> None:
    measures = measure_group(1, [])
    assert figures.figure("context-tokens", measures).text == Message("no context opened")
    assert figures.figure("input-tokens", measures).text == Message("unknown")


def test_units_are_said_in_the_language_of_the_page() -> None:
    assert CHINESE.said(figures.duration(125_400)) == "2 分 05 秒"
    assert CHINESE.said(figures.points("-0.1250")) == "−12.5\u00a0个百分点"
