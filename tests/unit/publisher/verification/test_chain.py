"""Runs that were tried again: what a verifier holds a snapshot with superseded runs to."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from dataset.artifacts.definition import PlannedRun
from dataset.artifacts.digest import open_artifact
from dataset.record import RunId
from publisher.verification.snapshot import verify
from tests.factories import VARIANTS, SampleBatch, Scenario, forged, make_batch, reseal, write_snapshot
from tests.factories.forgery import forge_index, put_report

FIRST = "batch-1-0001"


def tried(planned: PlannedRun) -> Sequence[Scenario]:
    """The first run was broken, then stopped, then passed; the second was cancelled before it began."""
    happened: dict[int, tuple[Scenario, ...]] = {1: ("invalid", "stopped"), 2: ("unstarted",)}
    return happened.get(planned.position, ())


def batch(scenario: Scenario = "pass", earlier: Callable[[PlannedRun], Sequence[Scenario]] = tried) -> SampleBatch:
    return make_batch(
        case_ids=("fund-nav", "order-history", "advice-wish"),
        model_keys=("careful",),
        variants=VARIANTS[:1],
        scenario=lambda planned: scenario,
        earlier=earlier,
    )


BATCH = batch()


def rewritten(snapshot: Path, change: Callable[[Any], object]) -> list[str]:
    """The places of the differences after a change of the report, with every hash over it made anew."""
    file = snapshot / "reports" / "batch-1.json"
    body = json.loads(file.read_bytes())
    change(body)
    put_report(snapshot, "batch-1", body)
    runs = len(body["runs"]) + len(body.get("superseded", []))
    forge_index(snapshot, lambda index: index["reports"][0].update(runs=runs))
    return [difference.place for difference in verify(snapshot).differences]


@pytest.fixture
def snapshot(tmp_path: Path) -> Path:
    return write_snapshot(tmp_path / "snapshot", [BATCH])


def test_the_last_run_of_each_chain_counts_and_the_others_are_kept(snapshot: Path) -> None:
    verification = verify(snapshot)
    assert verification.differences == ()
    assert (verification.runs, verification.files) == (6, 8)
    report = BATCH.report
    assert [line.run_id for line in report.runs] == [f"{FIRST}-r3", "batch-1-0002-r2", "batch-1-0003"]
    assert [line.run_id for line in report.superseded] == [FIRST, f"{FIRST}-r2", "batch-1-0002"]
    assert [line.supersedes for line in report.runs] == [f"{FIRST}-r2", "batch-1-0002", None]
    measures = report.models["careful"]
    assert (measures.planned, measures.recorded, measures.valid, measures.passed) == (3, 3, 3, 3)


def test_a_report_without_superseded_runs_says_nothing_of_them() -> None:
    body = batch(earlier=lambda planned: ()).report.body()
    assert isinstance(body, dict)
    assert "superseded" not in body
    assert "supersedes" not in body["runs"][0]


def test_a_list_of_superseded_runs_is_not_written_where_it_is_empty(tmp_path: Path) -> None:
    plain = write_snapshot(tmp_path / "plain", [batch(earlier=lambda planned: ())])
    assert rewritten(plain, lambda body: body.update(superseded=[]))[-1:] == ["reports/batch-1.json"]


@pytest.mark.parametrize("chosen", ["pass", "fail", "truncated"])
def test_a_run_that_is_not_invalid_was_not_to_be_tried_again(tmp_path: Path, chosen: Scenario) -> None:
    picked = batch(earlier=lambda planned: (chosen,) if planned.position == 1 else ())
    found = verify(write_snapshot(tmp_path / "picked", [picked])).differences
    assert [difference.place for difference in found] == [f"runs/{FIRST}.json#/judgment/verdict"]


def test_a_superseded_run_can_not_be_left_out(snapshot: Path) -> None:
    (snapshot / "runs" / f"{FIRST}-r2.json").unlink()
    assert rewritten(snapshot, lambda body: body["superseded"].pop(1)) == ["reports/batch-1.json#/runs"]


def test_the_planned_run_can_not_be_left_out(snapshot: Path) -> None:
    (snapshot / "runs" / f"{FIRST}.json").unlink()
    assert rewritten(snapshot, lambda body: body["superseded"].pop(0)) == ["reports/batch-1.json#/runs"]


def test_an_earlier_run_can_not_count_in_the_place_of_a_later_one(snapshot: Path) -> None:
    def swap(body: Any) -> None:
        body["runs"][0], body["superseded"][1] = body["superseded"][1], body["runs"][0]

    assert rewritten(snapshot, swap) == ["reports/batch-1.json#/runs"]


def test_the_last_run_can_not_be_dropped_without_its_file(snapshot: Path) -> None:
    def drop(body: Any) -> None:
        body["runs"][0] = body["superseded"].pop(1)

    assert f"runs/{FIRST}-r3.json" in rewritten(snapshot, drop)


@pytest.mark.parametrize("other", [None, FIRST, f"{FIRST}-r3", "batch-1-0002", "batch-9-0001"])
def test_a_chain_can_neither_fork_nor_turn_back_nor_lead_elsewhere(tmp_path: Path, other: str | None) -> None:
    def point(body: Any) -> None:
        body["provenance"]["supersedes"] = other

    last = RunId(f"{FIRST}-r3")
    artifacts = dict(BATCH.artifacts)
    artifacts[last] = reseal(forged(open_artifact(artifacts[last]), point))
    changed = SampleBatch(**{**vars(BATCH), "artifacts": artifacts})
    found = verify(write_snapshot(tmp_path / "forked", [changed])).differences
    assert [difference.place for difference in found] == [f"runs/{last}.json#/provenance/supersedes"]


def test_a_run_of_another_position_does_not_supersede(tmp_path: Path) -> None:
    def move(body: Any) -> None:
        body["case"]["case_id"] = "advice-wish"

    last = RunId(f"{FIRST}-r3")
    artifacts = dict(BATCH.artifacts)
    artifacts[last] = reseal(forged(open_artifact(artifacts[last]), move))
    changed = SampleBatch(**{**vars(BATCH), "artifacts": artifacts})
    found = verify(write_snapshot(tmp_path / "moved", [changed])).differences
    assert f"runs/{last}.json#/case/case_id" in [difference.place for difference in found]


def test_a_copy_of_a_superseded_run_is_found(tmp_path: Path) -> None:
    artifacts = dict(BATCH.artifacts)
    first = open_artifact(artifacts[RunId(FIRST)])
    body = {**first.body(), "run_id": f"{FIRST}-r2"}
    body["provenance"] = {**first.provenance.body(), "supersedes": FIRST}
    copied = forged(first, lambda old: old.update(body))
    changed = SampleBatch(**{**vars(BATCH), "artifacts": {**artifacts, RunId(f"{FIRST}-r2"): reseal(copied)}})
    found = verify(write_snapshot(tmp_path / "copied", [changed])).differences
    assert f"runs/{FIRST}-r2.json#/digests/steps" in [difference.place for difference in found]
