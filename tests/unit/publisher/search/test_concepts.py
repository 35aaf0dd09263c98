from __future__ import annotations

import re

import pytest

from publisher.search.concepts import COMMON, CONCEPTS, FILLERS, concept_counts
from publisher.search.terms import TOKEN


@pytest.mark.parametrize(
    ("english", "chinese", "concept"),
    [
        ("which is cheapest", "哪个最便宜", "~cost"),
        ("value for money", "性价比", "~cost"),
        ("the call was denied", "调用被拒绝", "~refusal"),
        ("it wasn't allowed", "不允许", "~refusal"),
        ("how to cite", "如何引用", "~citation"),
        ("a faster one", "更快", "~speed"),
        ("the best", "最好的", "~best"),
        ("it made up a number", "编造数字", "~invention"),
        ("how sure is it", "把握多大", "~certainty"),
        ("download as CSV", "下载", "~download"),
        ("verify a signature", "验证签名", "~verification"),
        ("one versus the other", "两者对比", "~comparison"),
    ],
)
def test_a_concept_is_touched_in_both_languages(english: str, chinese: str, concept: str) -> None:
    assert concept in concept_counts(english)
    assert concept in concept_counts(chinese)


@pytest.mark.parametrize("text", ["cost-per-100", "G3_DENIED_001", "best.value", "valued", "x/csv", "excited"])
def test_a_part_of_an_identifier_or_of_a_word_touches_none(text: str) -> None:
    assert concept_counts(text) == {}


def test_no_concept_can_be_a_word() -> None:
    assert [term for term in CONCEPTS if re.fullmatch(TOKEN, term)] == []


def test_no_pattern_has_a_group_of_its_own() -> None:
    """The script tells a concept by the number of its group."""
    assert [pattern for pattern in (*CONCEPTS.values(), FILLERS, COMMON) if re.search(r"\((?!\?)|\(\?P", pattern)] == []
