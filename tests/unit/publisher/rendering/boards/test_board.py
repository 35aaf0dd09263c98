from dataclasses import replace
from pathlib import Path

import pytest

from publisher.rendering.boards.board import Board, boards
from publisher.rendering.snapshot.snapshot import Snapshot
from tests.factories import Scenario, make_batch, write_snapshot
from tests.factories.boards import BoardModel, make_report, share, write_reports

BEST = BoardModel(key="best", passes=share(10))
GOOD = BoardModel(key="good", passes=share(9))
POOR = BoardModel(key="poor", passes=share(1))


def board_of(folder: Path, *models: BoardModel, **options: object) -> Board:
    report = make_report("batch-1", models, **options)  # type: ignore[arg-type]
    (board,) = boards(Snapshot(write_reports(folder, [report])).batches)
    return board


def ranks(board: Board) -> dict[str, str]:
    return {row.model.key: row.rank for row in board.rows}


def test_only_who_is_significantly_better_stands_before(tmp_path: Path) -> None:
    board = board_of(tmp_path, BEST, GOOD, POOR)
    assert ranks(board) == {"best": "1–2", "good": "1–2", "poor": "3"}
    assert [row.tied_with for row in board.rows] == [(board.rows[1].id,), (board.rows[0].id,), ()]
    assert (board.comparisons, board.tested) == (3, 3)


def test_places_are_those_of_the_report_and_the_same_where_it_has_none(tmp_path: Path) -> None:
    told, untold = (board_of(tmp_path / str(known), BEST, GOOD, POOR, with_statistics=known) for known in (True, False))
    assert ranks(told) == ranks(untold)


def test_with_few_cases_every_place_is_open_however_far_the_rates_lie_apart(tmp_path: Path) -> None:
    board = board_of(tmp_path, BEST, POOR, cases=9, repeats=5)
    assert ranks(board) == {"best": "1–2", "poor": "1–2"}
    assert board.tested == 0


def test_who_stands_alone_or_has_no_valid_run_has_no_place(tmp_path: Path) -> None:
    broken = BoardModel(key="broken", passes=lambda planned: None)
    assert ranks(board_of(tmp_path / "alone", BEST)) == {"best": ""}
    assert ranks(board_of(tmp_path / "broken", broken, BEST, POOR))["broken"] == ""


def test_models_of_several_batches_are_tested_over_the_cases_that_both_answered(tmp_path: Path) -> None:
    reports = [make_report("batch-1", [BEST]), make_report("batch-2", [POOR, BEST])]
    (board,) = boards(Snapshot(write_reports(tmp_path, reports)).batches)
    assert [(row.model.key, row.batch_id, row.rank) for row in board.rows] == [
        ("best", "batch-1", "1–2"),
        ("best", "batch-2", "1–2"),
        ("poor", "batch-2", "3"),
    ]


def test_a_part_of_the_runs_is_measured_and_ranked_anew(tmp_path: Path) -> None:
    board = board_of(tmp_path, BoardModel(key="english", passes=lambda run: run.variant_id == "scoped-en"), BEST)
    part = board.over(lambda run: run.variant_id == "scoped-en", 10)
    assert [(row.measures.passed, row.measures.valid, row.measures.planned) for row in part.rows] == [(10, 10, 10)] * 2
    assert ranks(part) == {"english": "1–2", "best": "1–2"}
    assert ranks(board) == {"best": "1", "english": "2"}
    assert part.rows[0].measures.pass_rate_low != board.rows[0].measures.pass_rate_low


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
    assert len({board.anchor for board in found}) == len({board.slug for board in found}) == 2


def test_a_batch_under_another_judge_has_a_table_of_its_own(tmp_path: Path) -> None:
    first, second = make_batch("batch-1"), make_batch("batch-2", replay_of="batch-1")
    judged = second.definition.model_copy(update={"judge_version": "fixed-rules-v9"})
    batches = [first, make_batch("batch-3", replay_of="batch-1"), replace(second, definition=judged)]
    found = boards(Snapshot(write_snapshot(tmp_path, batches)).batches)
    assert sorted(board.batches for board in found) == [("batch-1", "batch-3"), ("batch-2",)]
    assert len({board.anchor for board in found}) == 2


def test_rows_of_a_replay_say_whose_answers_they_judge(tmp_path: Path) -> None:
    batches = [make_batch("batch-1"), make_batch("batch-2", replay_of="batch-1")]
    (board,) = boards(Snapshot(write_snapshot(tmp_path, batches)).batches)
    assert {(row.batch_id, row.replay_of) for row in board.rows} == {("batch-1", None), ("batch-2", "batch-1")}


@pytest.mark.parametrize("key", ["careful", "careless"])
def test_every_row_has_the_measures_of_the_report(tmp_path: Path, key: str) -> None:
    batch = make_batch("batch-1")
    (board,) = boards(Snapshot(write_snapshot(tmp_path, [batch])).batches)
    assert next(row.measures for row in board.rows if row.model.key == key) == batch.report.models[key]


def test_of_the_weights_of_a_model_the_latest_that_is_stated_stands_in_every_row(tmp_path: Path) -> None:
    untold, told = BoardModel(key="one"), BoardModel(key="one", weights="open")
    reports = [make_report("batch-1", [untold]), make_report("batch-2", [told]), make_report("batch-3", [untold])]
    (board,) = boards(Snapshot(write_reports(tmp_path, reports)).batches)
    assert [row.model.weights for row in board.rows] == ["open"] * 3
