"""The assertions of two runs side by side: first those that hold on one side alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dataset.artifacts.artifact import OutputCheck

MOST_ROWS = 60


@dataclass(frozen=True, kw_only=True, slots=True)
class AssertionRow:
    """One assertion; null on the side that doesn't make it."""

    id: str
    left: OutputCheck | None
    right: OutputCheck | None

    @property
    def parted(self) -> bool:
        """Whether it came out one way on one side and another way, or not at all, on the other."""
        return (None if self.left is None else self.left.passed) != (None if self.right is None else self.right.passed)


def assertion_rows(left: Sequence[OutputCheck], right: Sequence[OutputCheck]) -> tuple[AssertionRow, ...]:
    """Every assertion of either side: parted ones first, then in the order of the left side and what only the right
    side makes."""
    ours, theirs = by_id(left), by_id(right)
    rows = [
        AssertionRow(id=key[0], left=ours.get(key), right=theirs.get(key)) for key in dict.fromkeys((*ours, *theirs))
    ]
    return tuple(sorted(rows, key=lambda row: not row.parted))


def by_id(checks: Sequence[OutputCheck]) -> dict[tuple[str, int], OutputCheck]:
    """Assertions by id, and by number where an id stands more than once."""
    found: dict[tuple[str, int], OutputCheck] = {}
    counts: dict[str, int] = {}
    for check in checks:
        counts[check.id] = counts.get(check.id, 0) + 1
        found[check.id, counts[check.id]] = check
    return found
