"""The pages that compare two rows of a board, where no batch has one for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from publisher.rendering.boards.board import Board
from publisher.rendering.boards.row_pairs import (
    Batches,
    RowPair,
    beside_pairings,
    differing_foundations,
    latest_release,
    row_pairs,
    rows_matchup,
)
from publisher.rendering.building.content_key import content_key
from publisher.rendering.compare.matchup import Matchup
from publisher.rendering.compare.measuring import measured_rows
from publisher.rendering.compare.view import CompareView, compare_parts, compare_view
from publisher.rendering.page_names import beside_page, board_page
from publisher.rendering.pages.interface import Crumb, JobFamily, Made, Page, SiteSource
from publisher.rendering.snapshot.replay import source_of


@dataclass(frozen=True, kw_only=True, slots=True)
class RowPairJob:
    """Two rows of a board. `release` is the last that changed the board."""

    board: Board
    pair: RowPair
    batches: Batches
    release: int


@dataclass(frozen=True, kw_only=True, slots=True)
class OfBoard:
    """What the page of two rows tells beyond their comparison: what a rate can depend on that isn't the same in both
    batches, and whether the runs of all pairs stand side by side."""

    pair: RowPair
    differing: tuple[str, ...]
    all_beside: bool


def _jobs(source: SiteSource) -> Sequence[RowPairJob]:
    batches = source.batches
    return [
        RowPairJob(board=board, pair=pair, batches=batches, release=latest_release(board, batches))
        for board in source.boards
        for pair in row_pairs(board, batches).pairs
        if pair.own
    ]


def _made(source: SiteSource, job: RowPairJob) -> Iterator[Made]:
    pair, matchup = job.pair, rows_matchup(job.board, job.pair, job.batches)
    view = _view(job, matchup)
    whole = [pairing for pairing in matchup.pairings if pairing.whole]
    shown = whole if pair.in_batch else beside_pairings(pair, matchup)
    pages = {beside_page(one.left.run_id, one.right.run_id) for one in shown if one.left and one.right}
    reports = {row.batch_id: job.batches[row.batch_id].report for row in (pair.left, pair.right)}
    parts = compare_parts(view)
    for one in parts:
        content = {
            "compare": view,
            "part": one,
            "parts": parts,
            "beside_page": lambda left, right: name if (name := beside_page(left, right)) in pages else None,
            "replays": [found for report in reports.values() if (found := source_of(report, source.reports))],
            "of_board": OfBoard(
                pair=pair,
                differing=differing_foundations(pair, job.batches),
                all_beside=len(shown) == len(whole),
            ),
        }
        yield Page(
            name=one.name, template="compare.html", content=content, crumbs=(_crumb(job.board),), release=job.release
        )


def _view(job: RowPairJob, matchup: Matchup) -> CompareView:
    left, right = (job.batches[row.batch_id].report.definition_hash for row in (job.pair.left, job.pair.right))
    found = measured_rows(matchup, (left, right), parted=job.pair.significant, family=job.board.tested)
    return compare_view(matchup, found)


def _crumb(board: Board) -> Crumb:
    template = board.definition.template
    return Crumb(title=f"{template.id}@{template.version}", name=board_page(board.slug))


def _key(source: SiteSource, job: RowPairJob) -> str:
    """Both reports, and what the order of the whole board says of the two."""
    pair, board = job.pair, job.board
    batches = [job.batches[row.batch_id].report for row in (pair.left, pair.right)]
    return content_key(
        pair.page,
        [(source.report_sha256[report.batch_id], source_of(report, source.reports)) for report in batches],
        [row.id for row in (pair.left, pair.right)],
        (pair.significant, pair.every, board.tested, board_page(board.slug)),
        source.logged_at(job.release),
    )


row_pair_pages = JobFamily(name="row-pairs", jobs=_jobs, made=_made, key=_key)
