"""Shorter forms: nothing that stays is changed, nothing that goes is unsaid, no number or character is cut in two."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dataset.canonical import MAX_DEPTH
from dataset.context.compression import LEAST_TEXT, compacted, head_and_tail, one_line
from dataset.context.cut import cut_back, cut_forward
from dataset.context.framing import JOIN_TOKENS
from dataset.context.token_counter import count_tokens
from tests.factories.context_items import TEXTS

PROSE = "The committee met on 2026-03-31 and paid 12,345.67 to the desk. " * 60


def test_json_loses_its_layout_and_nothing_else() -> None:
    written = '{ "b" : 12.40,\n  "a": [1e3, -0, 12345678901234567890123],\t"text": "two  spaces\\n \\" , : " }'
    assert compacted(written) == '{"b":12.40,"a":[1e3,-0,12345678901234567890123],"text":"two  spaces\\n \\" , : "}'
    assert one_line(written) == compacted(written)


@pytest.mark.parametrize("text", ["[see  note] 1  2", '{"open":  1', "[" * 100_000, "{ }x", '"a  b"'])
def test_what_only_looks_like_json_is_treated_as_text(text: str) -> None:
    assert compacted(text) == text.replace("  ", " ")


def test_text_keeps_its_indentation_and_single_blank_lines() -> None:
    assert compacted("\n\na  b \t c  \r\n\n\n\n    if x:\n\t\ty\n\n") == "a b c\n\n    if x:\n\t\ty"
    assert one_line(" a  b\n\n  c\u2028d ") == "a b c d"


@given(st.dictionaries(st.text(max_size=6), st.lists(st.integers() | st.text(max_size=8) | st.none(), max_size=3)))
def test_compact_json_says_the_same(value: object) -> None:
    assert json.loads(compacted(json.dumps([value], indent=3))) == [value]


def test_head_and_tail_stand_around_a_mark_that_counts_what_is_left_out() -> None:
    short = head_and_tail(PROSE, limit=100, cost=count_tokens)
    assert short is not None
    assert count_tokens(short.text) <= 100
    assert f" [… {short.left_out} tokens left out …] " in short.text
    head, tail = short.text.split(f" [… {short.left_out} tokens left out …] ")
    assert PROSE.startswith(head)
    assert PROSE.endswith(tail)
    assert short.tokens == count_tokens(PROSE)
    assert short.left_out == short.tokens - count_tokens(head) - count_tokens(tail)
    assert len(head) > len(tail)


def test_what_would_say_nothing_is_not_shortened() -> None:
    assert head_and_tail(PROSE, limit=LEAST_TEXT, cost=count_tokens) is None


@given(TEXTS.map(lambda text: text * 20), st.integers(0, 300))
def test_a_shortened_text_never_costs_more_than_its_limit(text: str, limit: int) -> None:
    short = head_and_tail(text, limit=limit, cost=count_tokens)
    if short is not None:
        assert count_tokens(short.text) <= limit
        assert 0 < short.left_out <= short.tokens


@pytest.mark.parametrize(
    ("text", "apart"),
    [
        ("fee 12,345.67 paid", "12,345.67"),
        ("费用为3万5千元整", "3万5千"),
        ("共三千五百万元", "三千五百万"),
        ("on 2026-03-31 at", "2026-03-31"),
        ("pay customers now", "customers"),
        ("ab e\u0301\u0323\u0308 cd", "e\u0301\u0323\u0308"),
        ("ab 👩\u200d👩\u200d👧 cd", "👩\u200d👩\u200d👧"),
        ("ab 🇩🇪 cd", "🇩🇪"),
        ("ab 👍🏽 cd", "👍🏽"),
        ("ab \ud83d\ude00 cd", "\ud83d\ude00"),
        ("ab 한\u1100\u1161\u11a8 cd", "\u1100\u1161\u11a8"),
    ],
)
def test_no_cut_falls_into_a_number_a_word_or_a_character(text: str, apart: str) -> None:
    text = f"{'x. ' * 40}{text}{' y.' * 40}"
    inside = range(text.index(apart) + 1, text.index(apart) + len(apart))
    for at in range(len(text) + 1):
        assert cut_back(text, at) not in inside
        assert cut_forward(text, at) not in inside
        assert cut_back(text, at) <= at <= cut_forward(text, at)


def test_a_text_without_a_place_to_cut_is_cut_all_the_same_unless_it_is_one_character() -> None:
    digits = head_and_tail("7" * 100_000, limit=200, cost=count_tokens)
    assert digits is not None
    assert digits.left_out > 90_000
    assert head_and_tail("e" + "\u0301" * 100_000, limit=200, cost=count_tokens) is None


@given(st.text("ae\u0301👩\u200d🇩 1.\n万", max_size=60), st.integers(0, 60))
def test_no_cut_begins_with_a_combining_character(text: str, at: int) -> None:
    for place in (cut_back(text, min(at, len(text))), cut_forward(text, min(at, len(text)))):
        if 0 < place < len(text):
            assert not unicodedata.combining(text[place])


@given(TEXTS | st.text(max_size=80), TEXTS | st.text(max_size=80))
def test_a_seam_costs_no_more_than_is_counted_for_it(one: str, other: str) -> None:
    assert count_tokens(f"{one}\n{other}") <= count_tokens(one) + count_tokens(other) + JOIN_TOKENS
    assert count_tokens(f"{one}\n\n{other}") <= count_tokens(one) + count_tokens(other) + JOIN_TOKENS


@pytest.mark.parametrize(("depth", "is_json"), [(MAX_DEPTH, True), (MAX_DEPTH + 1, False), (5_000, False)])
def test_how_deep_json_may_be_does_not_depend_on_the_callers_stack(depth: int, is_json: bool) -> None:
    text = "[" * depth + " 1 " + "]" * depth

    def asked_from(frames: int) -> str:
        return asked_from(frames - 1) if frames else compacted(text)

    assert compacted(text) == asked_from(400)
    assert (compacted(text) == "[" * depth + "1" + "]" * depth) is is_json


def test_brackets_in_strings_are_no_nesting() -> None:
    assert compacted('{ "a" : "' + "[" * 500 + '\\"" }') == '{"a":"' + "[" * 500 + '\\""}'
