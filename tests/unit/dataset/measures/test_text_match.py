"""Wordings are found whatever their case, width, quotes and spacing; other words are not."""

from __future__ import annotations

import pytest

from dataset.measures.text_match import fold, mentioned


@pytest.mark.parametrize(
    ("text", "wording"),
    [
        ("Please LOG IN first.", "log in"),
        ("请先　登录 账户", "登录账户"),
        ("风险等级为 R3", "等级为R3"),
        ("ＦＵＮＤ　ＡＢＣ", "fund abc"),
        ("I can’t place orders", "can't place orders"),
        ("year‑end − net", "year-end - net"),
        ("two\n\n  lines", "two lines"),
    ],
)
def test_a_wording_is_found_in_another_spelling(text: str, wording: str) -> None:
    assert mentioned(text, [wording]) == 1


def test_wordings_are_counted_once_each() -> None:
    assert mentioned("risk and risk and fee", ["risk", "fee", "tax"]) == 2


def test_letters_of_another_word_order_are_not_a_mention() -> None:
    assert mentioned("in log", ["log in"]) == 0
    assert fold("a b") != fold("ab")
