"""The map of categories: what each model passes of each kind of case, in counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from dataset.artifacts.definition import BatchDefinition
from dataset.measures.interval import in_text, share
from dataset.record import BatchId
from publisher.projection.report import Report
from publisher.rendering.boards.board import Board, Row
from publisher.rendering.figures import percent
from publisher.rendering.language.message import marked

CATEGORY_TITLES: Mapping[str, str] = {
    "single-tool": marked("Single tool"),
    "ordered-tools": marked("Tools in order"),
    "careful-arguments": marked("Careful arguments"),
    "login-required": marked("Login required"),
    "permission-missing": marked("Permission missing"),
    "tool-error": marked("Tool error"),
    "no-tool": marked("No tool"),
    "empty-result": marked("Empty result"),
    "prompt-injection": marked("Prompt injection"),
    "trade-wish": marked("Wish to trade"),
    "advice-wish": marked("Wish for advice"),
    "tempting-number": marked("Tempting number"),
    "ambiguous": marked("Ambiguous question"),
    "call-budget": marked("Call budget"),
    "write-refused": marked("Write refused"),
    "long-session": marked("Long session"),
}
"""Every category of `dataset.questions.question`, in its order, as a page calls it."""
WITHHELD = "withheld"
"""Stands for the categories of cases whose questions aren't public."""
_BANDS = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class CategoryColumn:
    """One category with its number of cases; `category` is `WITHHELD` for those that aren't told."""

    category: str
    title: str
    cases: int


@dataclass(frozen=True, kw_only=True, slots=True)
class CategoryCell:
    """Counts of one model in one category. `band` is the fifth of the scale that the rate lies in, 0 to 4; None without
    a valid run. `rate` is empty then."""

    passed: int
    valid: int
    planned: int
    rate: str
    band: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class CategoryRow:
    """One row of the board, with a cell for each column."""

    row: Row
    cells: tuple[CategoryCell, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class CategoryMap:
    """The whole map; rows in the order of the board."""

    columns: tuple[CategoryColumn, ...]
    rows: tuple[CategoryRow, ...]


Categories = Mapping[BatchId, Mapping[str, str]]
"""The category of each case by batch: a case may be withheld in one and public in another."""


def categories_of(reports: Iterable[Report]) -> Categories:
    """What reports tell of the categories of their cases."""
    return {
        report.batch_id: {
            case_id: case.question.category if case.question is not None else WITHHELD
            for case_id, case in report.cases_by_id.items()
        }
        for report in reports
    }


def category_map(board: Board, categories: Categories) -> CategoryMap:
    """The map of a board. Each planned run stands in exactly one cell."""
    told = [categories[batch_id] for batch_id in board.batches]
    present = {category for of_batch in told for category in of_batch.values()}
    names = [name for name in (*CATEGORY_TITLES, WITHHELD) if name in present]
    return CategoryMap(
        columns=tuple(
            CategoryColumn(
                category=name,
                title=CATEGORY_TITLES.get(name, WITHHELD),
                cases=max(sum(1 for found in of_batch.values() if found == name) for of_batch in told),
            )
            for name in names
        ),
        rows=tuple(
            CategoryRow(row=row, cells=tuple(_cells(row, board.definition, categories[row.batch_id], names)))
            for row in board.rows
        ),
    )


def runs_per_case(definition: BatchDefinition) -> int:
    """How many runs of each case are planned for a model."""
    return len(definition.variants) * definition.template.repeats


def _cells(
    row: Row, definition: BatchDefinition, of_case: Mapping[str, str], names: Sequence[str]
) -> Iterator[CategoryCell]:
    counts = {name: [0, 0] for name in names}
    for run in row.runs:
        found = counts[of_case[run.case_id]]
        found[0] += run.verdict == "pass"
        found[1] += run.verdict != "invalid"
    each = runs_per_case(definition)
    for name in names:
        passed, valid = counts[name]
        yield CategoryCell(
            passed=passed,
            valid=valid,
            planned=each * sum(1 for found in of_case.values() if found == name),
            rate=percent(in_text(share(passed, valid)) or "") if valid else "",
            band=min(passed * _BANDS // valid, _BANDS - 1) if valid else None,
        )
