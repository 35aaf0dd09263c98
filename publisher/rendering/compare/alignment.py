"""What two sequences share in order: the longest common subsequence, found the same way on every machine."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")
MOST_CELLS = 16_000_000
"""The most pairs of places that are looked at: 4,000 items on either side."""


def shared(left: Sequence[Hashable], right: Sequence[Hashable]) -> list[tuple[int, int]] | None:
    """The places of a longest common subsequence, in order; None where there is too much to look at.

    What both begin and end with is taken first. For the middle, rows of the table are whole numbers of one bit a
    column: Hyyrö (2004), "Bit-parallel LCS-length computation revisited", with every row kept for the way back.
    """
    start, end = 0, 0
    least = min(len(left), len(right))
    while start < least and left[start] == right[start]:
        start += 1
    while end < least - start and left[-1 - end] == right[-1 - end]:
        end += 1
    middle = _middle(left[start : len(left) - end], right[start : len(right) - end])
    if middle is None:
        return None
    return [
        *((at, at) for at in range(start)),
        *((start + i, start + j) for i, j in middle),
        *((len(left) - end + at, len(right) - end + at) for at in range(end)),
    ]


def aligned(
    left: Sequence[T], right: Sequence[T], places: Sequence[tuple[int, int]]
) -> Iterator[tuple[T | None, T | None]]:
    """Rows of both sequences, each item once and in order: those at shared places beside each other, others alone."""
    before_left = before_right = 0
    for i, j in (*places, (len(left), len(right))):
        yield from ((item, None) for item in left[before_left:i])
        yield from ((None, item) for item in right[before_right:j])
        if i < len(left) and j < len(right):
            yield left[i], right[j]
        before_left, before_right = i + 1, j + 1


def _middle(left: Sequence[Hashable], right: Sequence[Hashable]) -> list[tuple[int, int]] | None:
    if not left or not right:
        return []
    if len(left) * len(right) > MOST_CELLS:
        return None
    places: dict[Hashable, int] = {}
    for at, item in enumerate(left):
        places[item] = places.get(item, 0) | 1 << at
    mask = (1 << len(left)) - 1
    row, rows = mask, []
    for item in right:
        same = row & places.get(item, 0)
        row = ((row + same) | (row - same)) & mask
        rows.append(row)
    return _way_back(rows, len(left))


def _way_back(rows: Sequence[int], columns: int) -> list[tuple[int, int]]:
    found = []
    i, j = columns, len(rows)
    while i and j:
        if rows[j - 1] >> (i - 1) & 1:
            i -= 1
            continue
        j -= 1
        if j and not rows[j - 1] >> (i - 1) & 1:
            continue
        i -= 1
        found.append((i, j))
    return found[::-1]
