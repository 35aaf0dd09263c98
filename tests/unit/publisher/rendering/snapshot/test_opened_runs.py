"""Runs that were opened last are kept, each held to the report and the line that it was opened for."""

from __future__ import annotations

from pathlib import Path

import pytest

from publisher.rendering.errors import SnapshotError
from publisher.rendering.snapshot.opened_runs import OpenedRun, OpenedRuns
from publisher.rendering.snapshot.snapshot import Snapshot
from tests.factories import make_batch, write_snapshot


@pytest.fixture
def snapshot(tmp_path: Path) -> Snapshot:
    write_snapshot(tmp_path, [make_batch("batch-1", case_ids=("fund-nav", "order-history"))])
    return Snapshot(tmp_path)


def test_a_run_that_was_opened_is_not_opened_again(snapshot: Snapshot) -> None:
    (batch,) = snapshot.batches
    for facts in batch.report.runs:
        assert snapshot.run(batch, facts)[0] is snapshot.run(batch, facts)[0]


def test_a_run_is_opened_anew_for_another_line_and_refused_where_it_isnt_told(snapshot: Snapshot) -> None:
    (batch,) = snapshot.batches
    facts = batch.report.runs[0]
    first, _ = snapshot.run(batch, facts)
    assert snapshot.run(batch, facts.model_copy())[0] is not first
    with pytest.raises(SnapshotError, match="not the artifact that its report tells of"):
        snapshot.run(batch, facts.model_copy(update={"latency_ms": facts.latency_ms + 1}))


def test_no_more_is_kept_than_its_bytes_allow(snapshot: Snapshot) -> None:
    (batch,) = snapshot.batches
    runs = [
        OpenedRun(report=batch.report, facts=facts, found=snapshot.run(batch, facts)[0], data=bytes(10))
        for facts in batch.report.runs[:4]
    ]
    kept = OpenedRuns(most_bytes=25)
    for run in (runs[0], runs[1], runs[0], runs[2]):
        kept.keep(run)
        assert kept.find(run.report, run.facts) is run
    assert [kept.find(run.report, run.facts) for run in runs] == [runs[0], None, runs[2], None]
    whole = OpenedRun(report=batch.report, facts=runs[3].facts, found=runs[3].found, data=bytes(26))
    kept.keep(whole)
    assert not any(kept.find(run.report, run.facts) for run in runs)
