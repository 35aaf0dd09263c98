from pathlib import Path
from typing import get_args

from dataset.questions.question import Category
from publisher.projection.report import Report
from publisher.rendering.boards.board import Board, boards
from publisher.rendering.boards.categories import CATEGORY_TITLES, WITHHELD, categories_of, category_map
from publisher.rendering.boards.parts import parts_of
from publisher.rendering.snapshot.snapshot import Snapshot
from tests.factories.boards import BoardModel, make_report, share, write_reports

MODELS = (
    BoardModel(key="half", passes=lambda run: run.variant_id == "scoped-en"),
    BoardModel(key="broken", passes=lambda run: None if run.case_id in ("case-0", "case-5") else True),
)


def read(folder: Path, *reports: Report) -> tuple[Board, Report]:
    (board,) = boards(Snapshot(write_reports(folder, reports)).batches)
    return board, reports[0]


def test_every_category_has_a_title_in_its_order() -> None:
    assert tuple(CATEGORY_TITLES) == get_args(Category)


def test_each_planned_run_stands_in_one_cell(tmp_path: Path) -> None:
    board, report = read(tmp_path, make_report("batch-1", MODELS))
    found = category_map(board, categories_of([report]))
    assert [column.cases for column in found.columns] == [2] * 5
    for shown in found.rows:
        measures = shown.row.measures
        assert sum(cell.planned for cell in shown.cells) == measures.planned == 20
        assert sum(cell.valid for cell in shown.cells) == measures.valid
        assert sum(cell.passed for cell in shown.cells) == measures.passed


def test_a_cell_tells_its_counts_and_the_fifth_that_its_rate_lies_in(tmp_path: Path) -> None:
    models = [*MODELS, BoardModel(key="most", passes=share(8))]
    board, report = read(tmp_path, make_report("batch-1", models))
    rows = {shown.row.model.key: shown.cells for shown in category_map(board, categories_of([report])).rows}
    assert [(c.passed, c.valid, c.planned, c.rate, c.band) for c in rows["half"]] == [(2, 4, 4, "50.0\u00a0%", 2)] * 5
    assert (rows["broken"][0].valid, rows["broken"][0].rate, rows["broken"][0].band) == (0, "", None)
    assert rows["broken"][1].band == 4


def test_a_withheld_case_is_told_as_withheld_and_gives_no_category_away(tmp_path: Path) -> None:
    report = make_report("batch-1", MODELS, withheld={1: ("case", "judgment", "output_checks")})
    board, _ = read(tmp_path, report)
    assert report.cases[1].question is None
    found = category_map(board, categories_of([report]))
    assert [(column.category, column.cases) for column in found.columns][-1] == (WITHHELD, 1)
    assert {column.category: column.cases for column in found.columns}["ordered-tools"] == 1


def test_parts_are_the_languages_and_the_categories_each_with_what_was_planned(tmp_path: Path) -> None:
    board, report = read(tmp_path, make_report("batch-1", MODELS, repeats=2))
    parts = parts_of(board, report, categories_of([report]))
    assert {part.name: part.planned for part in parts} == {
        "language-en": 20,
        "language-zh": 20,
        "category-single-tool": 8,
        "category-ordered-tools": 8,
        "category-login-required": 8,
        "category-tool-error": 8,
        "category-prompt-injection": 8,
    }
    for part in parts:
        for row in board.over(part.wanted, part.planned).rows:
            assert len(row.runs) == part.planned == row.measures.planned


def test_one_language_or_category_is_no_part(tmp_path: Path) -> None:
    report = make_report("batch-1", MODELS, categories=("no-tool",))
    board, _ = read(tmp_path, report)
    assert [part.name for part in parts_of(board, report, categories_of([report]))] == ["language-en", "language-zh"]
