from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dataset.record import Locale
from engine.guardrails.sentences import Clauses, language_of, sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("It is 12.5 now. Next", ["It is 12.5 now.", "Next"]),
        ("第一句。第二句！“第三句。”第四句", ["第一句。", "第二句！", "“第三句。”", "第四句"]),
        ("- one\n2) two\n\n  three", ["one", "two", "three"]),
        ("", []),
        (" \n ", []),
    ],
)
def test_text_is_cut_at_sentence_ends_and_line_breaks(text: str, expected: list[str]) -> None:
    assert [sentence.text for sentence in sentences(text)] == expected


@pytest.mark.parametrize(
    ("text", "part", "clause"),
    [
        ("I can't, but I will buy", "will buy", " I will buy"),
        ("fees of 1,234 and I sell", "sell", " I sell"),
        ("我不能，但会买", "会买", "会买"),
        ("no cut here", "cut", "no cut here"),
        ("costs 1,234 in all", "234", "costs 1,234 in all"),
    ],
)
def test_clause_is_what_stands_between_cuts(text: str, part: str, clause: str) -> None:
    at = text.index(part)

    assert Clauses(text).around(at, at + len(part)) == clause


def test_clause_without_punctuation_has_a_limit() -> None:
    assert len(Clauses("a" * 10_000).around(5_000, 5_001)) == 401


@pytest.mark.parametrize(
    ("text", "default", "language"), [("buy 买", "en", "zh"), ("buy", "zh", "en"), ("12.5", "zh", "zh")]
)
def test_language_is_that_of_the_letters(text: str, default: Locale, language: Locale) -> None:
    assert language_of(text, default) == language


@given(st.text(max_size=200))
def test_sentences_lie_in_order_and_hold_everything_but_space_and_markers(text: str) -> None:
    last = 0
    for sentence in sentences(text):
        assert last <= sentence.start < sentence.end
        assert text[sentence.start : sentence.end] == sentence.text
        last = sentence.end
