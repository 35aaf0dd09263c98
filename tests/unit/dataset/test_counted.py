"""Counts with the right form of their noun."""

from __future__ import annotations

import pytest

from dataset.console import counted


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 retries"), (1, "1 retry"), (2, "2 retries"), (12_000, "12,000 retries")]
)
def test_a_count_has_the_right_form_of_its_noun(count: int, text: str) -> None:
    assert counted(count, "retry", "retries") == text


def test_most_nouns_take_an_s() -> None:
    assert [counted(1, "run"), counted(3, "run")] == ["1 run", "3 runs"]
