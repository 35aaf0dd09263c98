from decimal import Decimal
from pathlib import Path

import pytest

from dataset.measures.latency import latency_p95
from publisher.rendering.boards.board import Row, boards
from publisher.rendering.boards.columns import COLUMNS, COST, RATE, Column, ordered
from publisher.rendering.snapshot.snapshot import Snapshot
from tests.factories.boards import BoardModel, make_report, share, write_reports
from tests.unit.publisher.rendering.plots.subjects import facts

Rows = tuple[Row, ...]
MODELS = (
    BoardModel(key="broken", passes=lambda planned: None, cost=None),
    BoardModel(key="cheap", passes=share(3), cost="0.001", latency=lambda planned: 10 * planned.position),
    BoardModel(key="dear", passes=share(8), cost="0.02"),
    BoardModel(key="unknown", passes=share(5), cost=None, latency=lambda planned: 5),
)


@pytest.fixture
def rows(tmp_path: Path) -> Rows:
    (board,) = boards(Snapshot(write_reports(tmp_path, [make_report("batch-1", MODELS)])).batches)
    return board.rows


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: column.key)
def test_the_best_stand_first_and_those_without_a_value_last(rows: Rows, column: Column) -> None:
    values = [column.figure(row).value for row in ordered(rows, column)]
    known = [Decimal(value) for value in values if value is not None]
    assert values[len(known) :] == [None] * (len(values) - len(known))
    assert known == sorted(known, reverse=column.falling)


def test_unknown_costs_stand_last_and_are_words(rows: Rows) -> None:
    found = ordered(rows, COST)
    assert [row.model.key for row in found] == ["cheap", "dear", "unknown", "broken"]
    assert [str(COST.figure(row).text) for row in found] == ["0.1 USD", "2.00 USD", "unknown", "unknown"]


def test_equal_rows_stay_as_they_stood(rows: Rows) -> None:
    assert [row.model.key for row in ordered(rows, RATE)] == [row.model.key for row in rows]


def test_amounts_of_two_currencies_never_stand_between_one_another(tmp_path: Path) -> None:
    models = [
        BoardModel(key=f"m{n}", cost=f"0.0{n}", currency=("USD", "CNY")[n % 2], passes=share(n)) for n in range(1, 7)
    ]
    (board,) = boards(Snapshot(write_reports(tmp_path, [make_report("batch-1", models)])).batches)
    assert [row.measures.currency for row in ordered(board.rows, COST)] == ["CNY"] * 3 + ["USD"] * 3


@pytest.mark.parametrize(
    ("latencies", "expected"),
    [([], None), ([7], 7), (list(range(1, 21)), 19), (list(range(1, 20)), 19), (list(range(1, 101)), 95)],
)
def test_p95_is_the_nearest_rank(latencies: list[int], expected: int | None) -> None:
    runs = [facts(number, latency_ms=latency) for number, latency in enumerate(latencies)]
    assert latency_p95(reversed(runs)) == expected


def test_an_invalid_run_has_no_part_in_p95() -> None:
    slow = facts(1, latency_ms=90_000, verdict="invalid", invalid_reason="provider_5xx")
    assert latency_p95([slow]) is None
    assert latency_p95([slow, facts(2, latency_ms=5)]) == 5
