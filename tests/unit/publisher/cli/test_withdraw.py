"""What `glassbench withdraw` and the documents say of a reason is what a reason may be."""

from __future__ import annotations

from pathlib import Path

import pytest

from dataset.artifacts.withdrawn import LONGEST_REASON, SHORTEST_REASON

REPOSITORY = Path(__file__).parents[4]


@pytest.mark.parametrize(
    "place", ["publisher/cli/withdraw.py", "docs/how-to/withdraw-a-run.md", "docs/reference/release-log.md"]
)
def test_the_length_of_a_reason_is_told_as_it_is_checked(place: str) -> None:
    told = (REPOSITORY / place).read_text(encoding="utf-8")
    assert f"{SHORTEST_REASON} to {LONGEST_REASON:,} characters" in told
