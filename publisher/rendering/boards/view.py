"""Everything that the pages of one board show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dataset.artifacts.definition import FrozenModel
from dataset.record import BatchId
from publisher.projection.report import Report
from publisher.rendering.boards.answer import Answer, answer_of
from publisher.rendering.boards.board import Board, RowId
from publisher.rendering.boards.categories import WITHHELD, Categories, CategoryMap, categories_of, category_map
from publisher.rendering.boards.parts import Part, parts_of
from publisher.rendering.boards.row_pairs import RowLinks, RowPairs, row_pairs
from publisher.rendering.page_names import below, board_page, numbered
from publisher.rendering.snapshot.snapshot import PublishedBatch
from publisher.rendering.snapshot.withdrawal import WithdrawnRuns, withdrawals_of

INLINE = 40
"""Of more rows, the map, the plots and the comparisons of rows have pages of their own, so that none is heavy."""
PAIRS_A_PAGE = 200
"""Rows of which one page lists the comparisons."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Withdrawn:
    """A batch of which every run was withdrawn: its models, and why. `board` is the page of its board, where that has
    no other batch."""

    batch_id: BatchId
    models: tuple[FrozenModel, ...]
    reasons: tuple[WithdrawnRuns, ...]
    board: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class BoardView:
    """One board. `withheld_cases` is how many of its cases don't tell their question in every batch."""

    board: Board
    page: str
    answer: Answer
    parts: tuple[Part, ...]
    categories: Categories
    withdrawn: tuple[Withdrawn, ...]
    withheld_cases: int
    pairs: RowPairs

    @property
    def map(self) -> CategoryMap:
        """The map of categories."""
        return category_map(self.board, self.categories)

    @property
    def large(self) -> bool:
        """Whether it has too many rows for its map and plots to stand on its page."""
        return len(self.board.rows) > INLINE

    @property
    def links(self) -> Mapping[RowId, RowLinks | str]:
        """The comparisons of each row; where it has many rows, the place on a page below that lists them."""
        if not self.large:
            return self.pairs.links
        places = enumerate(self.pairs.links)
        return {row: f"{self.pairs_page(at // PAIRS_A_PAGE + 1)}#{at + 1}" for at, row in places}

    def pairs_page(self, number: int) -> str:
        """A page that lists what each row is compared with."""
        return numbered(self.below("pairs"), number)

    def part_page(self, part: Part) -> str:
        """The page of one part."""
        return self.below(part.name)

    def below(self, name: str) -> str:
        """A page below that of the board."""
        return below(self.page, name)


def board_view(board: Board, batches: Sequence[PublishedBatch]) -> BoardView:
    """The view of a board; `batches` are those of the snapshot."""
    by_id = {batch.report.batch_id: batch for batch in batches}
    own = [batch.report for batch in batches if batch.report.batch_id in board.batches]
    categories = categories_of(own)
    return BoardView(
        board=board,
        page=board_page(board.slug),
        answer=answer_of(board),
        parts=parts_of(board, own[0], categories) if own else (),
        categories=categories,
        withdrawn=tuple(withdrawn_batch(batch.report) for batch in batches if batch.report.batch_id in board.withdrawn),
        withheld_cases=len({case for found in categories.values() for case, name in found.items() if name == WITHHELD}),
        pairs=row_pairs(board, by_id),
    )


def withdrawn_batch(report: Report, board: str = "") -> Withdrawn:
    """What is told of a batch that counts no more."""
    return Withdrawn(
        batch_id=report.batch_id, models=report.definition.models, reasons=withdrawals_of(report), board=board
    )
