from dataclasses import replace
from pathlib import Path

import pytest

from dataset.measures.group import GroupMeasures, measure_group
from dataset.measures.run_facts import RunFacts
from publisher.rendering.leaderboard import boards, rank_range
from publisher.rendering.snapshot import Snapshot
from tests.factories import Scenario, make_batch, write_snapshot


def group(passed: int, valid: int) -> GroupMeasures:
    report = make_batch("batch-1", model_keys=("careful",)).report
    facts: RunFacts = report.runs[0]
    runs = [facts.model_copy(update={"verdict": "pass" if i < passed else "fail"}) for i in range(valid)]
    return measure_group(valid, runs)


def test_models_whose_intervals_overlap_share_their_places() -> None:
    best, close, worst, unrated = group(95, 100), group(92, 100), group(10, 100), group(0, 0)
    everyone = [best, close, worst, unrated]
    assert [rank_range(found, everyone) for found in everyone] == ["1–2", "1–2", "3", ""]


def test_each_place_is_its_own_where_no_interval_overlaps() -> None:
    everyone = [group(5, 100), group(50, 100), group(95, 100)]
    assert [rank_range(found, everyone) for found in everyone] == ["3", "2", "1"]


def test_rows_stand_by_pass_rate_with_the_unknown_last(tmp_path: Path) -> None:
    ends: dict[str, Scenario] = {"broken": "invalid", "weak": "fail", "strong": "pass"}
    batch = make_batch("batch-1", model_keys=tuple(ends), scenario=lambda run: ends[run.model_key])
    (board,) = boards(Snapshot(write_snapshot(tmp_path, [batch])).batches)
    assert [row.model.key for row in board.rows] == ["strong", "weak", "broken"]
    assert [row.bar is None for row in board.rows] == [False, False, True]


def test_only_the_same_template_over_the_same_bank_shares_a_table(tmp_path: Path) -> None:
    batches = [make_batch("batch-1"), make_batch("batch-2"), make_batch("batch-3", text="another bank")]
    found = boards(Snapshot(write_snapshot(tmp_path, batches)).batches)
    assert sorted(board.batches for board in found) == [("batch-1", "batch-2"), ("batch-3",)]
    assert len({board.anchor for board in found}) == 2


def test_a_batch_under_another_judge_has_a_table_of_its_own(tmp_path: Path) -> None:
    first, second = make_batch("batch-1"), make_batch("batch-2", replay_of="batch-1")
    judged = second.definition.model_copy(update={"judge_version": "fixed-rules-v9"})
    batches = [first, make_batch("batch-3", replay_of="batch-1"), replace(second, definition=judged)]
    found = boards(Snapshot(write_snapshot(tmp_path, batches)).batches)
    assert sorted(board.batches for board in found) == [("batch-1", "batch-3"), ("batch-2",)]
    assert len({board.anchor for board in found}) == 2


@pytest.mark.parametrize("key", ["careful", "careless"])
def test_every_row_has_the_measures_of_the_report(tmp_path: Path, key: str) -> None:
    batch = make_batch("batch-1")
    (board,) = boards(Snapshot(write_snapshot(tmp_path, [batch])).batches)
    assert next(row.measures for row in board.rows if row.model.key == key) == batch.report.models[key]
