"""Differences of texts: both sides are made again from them, whatever the texts hold."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from publisher.rendering.compare.text_difference import text_difference

HOSTILE_TEXTS = Path(__file__).parents[6] / "shared/corpora/hostile-texts/texts.json"
texts = st.text(max_size=200) | st.lists(
    st.sampled_from(["fund ", "the ", "净", "值", "1.25", "\n", ". ", "\u202e", "\x00"])
).map("".join)


def check(left: str, right: str) -> None:
    found = text_difference(left, right)
    assert "".join(text for _, text in found.of("left")) == left
    assert "".join(text for _, text in found.of("right")) == right
    assert all(kind == "same" for kind, _ in found.segments) is (left == right)
    assert all(text for _, text in found.segments)


@given(texts, texts)
@settings(max_examples=200)
def test_the_segments_of_a_side_make_its_text(left: str, right: str) -> None:
    check(left, right)
    check(left, left + right)


def test_hostile_texts_come_out_whole() -> None:
    if not HOSTILE_TEXTS.is_file():
        pytest.skip("the corpus of hostile texts isn't here")
    found: list[str] = json.loads(HOSTILE_TEXTS.read_text(encoding="utf-8"))
    for one, other in pairwise(found):
        check(one, other)


def test_words_are_marked_and_not_letters() -> None:
    found = text_difference("The NAV is 1.2345 yuan.", "The NAV was 1.2350 yuan.")
    assert found.segments == (
        ("same", "The NAV "),
        ("left", "is 1.2345"),
        ("right", "was 1.2350"),
        ("same", " yuan."),
    )


def test_chinese_is_marked_by_character() -> None:
    found = text_difference("该基金净值为二元。", "该基金净值是二元。")
    assert found.segments == (("same", "该基金净值"), ("left", "为"), ("right", "是"), ("same", "二元。"))


def test_texts_that_share_next_to_nothing_are_told_as_unrelated() -> None:
    assert not text_difference("Nothing was found for this fund.", "它的净值是二元").related
    assert text_difference("The value is 2.", "The value is 3.").related


def test_a_long_text_is_compared_by_line_first() -> None:
    lines = [f"line {number} of a long answer" for number in range(3000)]
    changed = [*lines[:1500], "another line altogether", *lines[1501:]]
    found = text_difference("\n".join(lines), "\n".join(changed))
    assert sum(len(text) for kind, text in found.segments if kind != "same") < 60
