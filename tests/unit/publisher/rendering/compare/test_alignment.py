"""The longest common subsequence, and rows that hold each item of both sides once and in order."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from publisher.rendering.compare.alignment import MOST_CELLS, aligned, shared

letters = st.text(alphabet="abc", max_size=24)


def longest(left: str, right: str) -> int:
    """Its length by the textbook."""
    row = [0] * (len(right) + 1)
    for one in left:
        before = 0
        for at, other in enumerate(right, start=1):
            before, row[at] = row[at], before + 1 if one == other else max(row[at], row[at - 1])
    return row[-1]


@given(letters, letters)
def test_what_is_shared_is_a_common_subsequence_of_the_greatest_length(left: str, right: str) -> None:
    places = shared(left, right)
    assert places is not None
    assert all(left[i] == right[j] for i, j in places)
    assert all(a[0] < b[0] and a[1] < b[1] for a, b in pairwise(places))
    assert len(places) == longest(left, right)


@given(letters, letters)
def test_rows_hold_each_item_of_both_sides_once_and_in_order(left: str, right: str) -> None:
    rows = list(aligned(left, right, shared(left, right) or []))
    assert "".join(one for one, _ in rows if one is not None) == left
    assert "".join(other for _, other in rows if other is not None) == right
    assert all(one == other for one, other in rows if one is not None and other is not None)


def test_too_much_is_left_unlooked_at() -> None:
    size = 1 + int(MOST_CELLS**0.5)
    assert shared(range(size), range(size, 2 * size)) is None
    assert shared(range(size), range(size)) == [(at, at) for at in range(size)]
