from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from publisher.search.folding import folded
from publisher.search.terms import LONGEST_TERM, term_counts


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Refused calls", {"refused", "calls"}),
        ("G3_AUTH_001", {"g3_auth_001", "g3", "auth", "001"}),
        ("Qwen2.5-Coder", {"qwen2.5-coder", "qwen2", "5", "coder"}),
        ("1,234,567.50", {"1234567.50", "1234567", "50"}),
        ("1,23", {"1", "23"}),
        ("基金净值", {"基金", "金净", "净值", "值"}),
        ("A股", {"a", "股"}),
        ("Ｆｕｎｄ　ﬁgure", {"fund", "figure"}),
        ("café e\u0301 ÉCOLE", {"cafe", "e", "ecole"}),
        ("zero\u200bwidth so\u00adft \u202efund", {"zerowidth", "soft", "fund"}),
        ("\U00020000\U00020001", {"\U00020000\U00020001", "\U00020001"}),
        ("a. b, c-", {"a", "b", "c"}),
        ("", set()),
    ],
)
def test_a_text_is_found_by(text: str, terms: set[str]) -> None:
    assert set(term_counts(text)) == terms


def test_a_term_is_counted_as_often_as_it_stands_there() -> None:
    assert term_counts("Fund fund, FUND; fund_nav") == {"fund": 4, "fund_nav": 1, "nav": 1}


def test_a_term_is_cut_where_it_is_too_long_to_type() -> None:
    assert set(term_counts("a" * 1000)) == {"a" * LONGEST_TERM}


@given(st.text())
def test_folding_twice_is_folding_once_for_what_counts(text: str) -> None:
    assert term_counts(folded(text)) == term_counts(text)


@given(st.text(), st.text())
def test_texts_apart_have_the_terms_of_both(one: str, other: str) -> None:
    assert term_counts(f"{one} ; {other}") == term_counts(one) + term_counts(other)
