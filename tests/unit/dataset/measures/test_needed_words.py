"""A pattern is only passed over where a text can't match it."""

from __future__ import annotations

import re
import string
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dataset.measures.needed_words import comparable, needed_words
from dataset.record import LOCALES
from tests.factories.finance import finance_pack


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (r"\bwill (?:buy|sell)\b", {"will "}),
        (r"(?:bought|sold)? it", {" it"}),
        (r"(?:I|we) (?:purchase|redeem)d", {"purchase", "redeem"}),
        (r"(?:buy|)", None),
        (r"(?:long enough)?", None),
        (r"(?!never)now", {"now"}),
        (r"(?:word ){2,3}", {"word "}),
        (r"[ab]c", {"c"}),
        (r"\d\s?[日号]", {"日", "号"}),
        (r"\d[^日]", None),
        (r"\d[日a-z]", None),
        (r"(?-i:Exact)", None),
        (r"Größe", {"gr"}),
        (r"会(?:买|卖出)", {"会"}),
        (r"会?(?:买|卖出)", {"买", "卖出"}),
        (r".\d", None),
    ],
)
def test_the_words_that_a_pattern_needs(pattern: str, words: set[str] | None) -> None:
    found = needed_words(re.compile(pattern, re.IGNORECASE))
    assert found == (None if words is None else frozenset(words))


def test_letters_that_match_in_another_case_are_compared_alike() -> None:
    any_letter = re.compile("|".join(string.ascii_lowercase), re.IGNORECASE)
    matched = [char for char in map(chr, range(128, sys.maxunicode + 1)) if any_letter.match(char)]
    assert matched
    for char in matched:
        plain = comparable(char)
        alike = [letter for letter in string.ascii_lowercase if re.match(letter, char, re.IGNORECASE)]
        assert plain is None or alike == [plain]


_POLICY = finance_pack().guardrails
_REGEXES = [
    rules.compiled(pattern.regex)
    for wording in (_POLICY.forbidden_operation, _POLICY.personal_advice)
    for rules in map(wording.to, LOCALES)
    for pattern in rules.patterns
]


@given(st.sampled_from(_REGEXES).flatmap(lambda regex: st.tuples(st.just(regex), st.from_regex(regex))))
@settings(max_examples=400, suppress_health_check=list(HealthCheck))
def test_what_a_pattern_matches_holds_a_word_that_it_needs(found: tuple[re.Pattern[str], str]) -> None:
    regex, text = found
    words, plain = needed_words(regex), comparable(text)
    assert words is None or plain is None or any(word in plain for word in words)


def test_every_pattern_of_the_built_in_pack_needs_a_word() -> None:
    assert all(needed_words(regex) for regex in _REGEXES)
