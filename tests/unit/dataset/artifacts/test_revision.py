from __future__ import annotations

import pytest

from dataset.artifacts.revision import revision_id, split_revision, superseded_id
from dataset.record import RunId


@pytest.mark.parametrize(
    ("run_id", "planned", "revision", "before"),
    [
        ("b-0001", "b-0001", 1, None),
        ("b-0001-r2", "b-0001", 2, "b-0001"),
        ("b-0001-r3", "b-0001", 3, "b-0001-r2"),
        ("b-0001-r10", "b-0001", 10, "b-0001-r9"),
        ("batch-r2-0001", "batch-r2-0001", 1, None),
        ("batch-r2-0001-r2", "batch-r2-0001", 2, "batch-r2-0001"),
    ],
)
def test_an_id_says_which_run_it_supersedes(run_id: str, planned: str, revision: int, before: str | None) -> None:
    assert split_revision(run_id) == (planned, revision)
    assert superseded_id(run_id) == before
    assert revision_id(RunId(planned), revision) == run_id


@pytest.mark.parametrize("run_id", ["b-0001-r1", "b-0001-r0", "b-0001-r02", "b-0001-r", "b-0001-rx", "b-0001-r99999"])
def test_what_is_no_revision_belongs_to_no_planned_run(run_id: str) -> None:
    assert split_revision(run_id) == (run_id, 1)
    assert superseded_id(run_id) is None
