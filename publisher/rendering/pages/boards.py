"""The leaderboard: the front page with every board, and the pages of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from dataset.canonical import sha256_hex
from publisher.rendering.boards.answer import answer_of
from publisher.rendering.boards.board import Board, Row, RowId, withdrawn_boards
from publisher.rendering.boards.columns import COLUMNS, RATE, Column, ordered
from publisher.rendering.boards.parts import Part
from publisher.rendering.boards.row_pairs import RowLinks, row_difference
from publisher.rendering.boards.superseding import Superseding, superseded_by
from publisher.rendering.boards.table import (
    Choice,
    Head,
    TableView,
    choices_of,
    described,
    heads_of,
    order_page,
    table_of,
)
from publisher.rendering.boards.view import PAIRS_A_PAGE, BoardView, board_view, withdrawn_batch
from publisher.rendering.page_names import HOME, board_page, numbered
from publisher.rendering.pages.interface import Crumb, JobFamily, Page, SiteSource
from publisher.rendering.plots.section import board_plots, value_plot

FRONT_ROWS = 60
"""So many rows stand on the front page, shared among its boards, none of which has more than half of them."""
PAGE_ROWS = 200
"""So many rows stand on one page of a board."""
FRONT_PLOTS = 8
"""Of more boards, none has a plot on the front page."""


def _jobs(source: SiteSource) -> Sequence[Board | None]:
    """The front page, then each board, those of which nothing counts any more last."""
    return (None, *source.boards, *withdrawn_boards(source.snapshot.batches))


def _made(source: SiteSource, job: Board | None) -> Iterator[Page]:
    """The front page; or of a board its table in every order, its parts, its map and its plots."""
    if job is None:
        views = [board_view(board, source.snapshot.batches) for board in source.boards]
        old = {view.page: superseded_by(view.board, source.boards) for view in views}
        ordered = sorted(views, key=lambda view: (old[view.page] is not None, -len(view.board.rows)))
        yield _front(ordered, old, source)
        return
    view = board_view(job, source.snapshot.batches)
    if not job.batches:
        yield _gone(view)
        return
    yield from _orders(view, source)
    yield from (_part(view, part) for part in view.parts)
    if view.large:
        yield _below(view, "categories", "board_categories.html", {"map": view.map})
        yield _below(view, "plots", "board_plots.html", {"plot_section": board_plots(view.board, source.reports)})
        yield from _pairs(view, source)


def _key(source: SiteSource, job: Board | None) -> str:
    """The front page follows from the whole snapshot, a board from the reports of its batches and how it stands."""
    standing = source.standing
    reports = [
        (sha256_hex(batch.data), batch.release)
        for batch in source.snapshot.batches
        if job is None or batch.report.batch_id in (*job.batches, *job.withdrawn)
    ]
    logged = standing.logged and (standing.logged.size, standing.logged.signers)
    weights = job and [row.model.weights for row in job.rows]
    index = source.snapshot.index_data if job is None else b""
    shown = (job and job.slug, reports, weights, standing.number, logged, index)
    return sha256_hex(repr(shown).encode("utf-8", "surrogatepass"))


board_pages = JobFamily(name="boards", jobs=_jobs, made=_made, key=_key)


def _front(views: Sequence[BoardView], old: Mapping[str, Superseding | None], source: SiteSource) -> Page:
    most = min(FRONT_ROWS // max(len(views), 1), FRONT_ROWS // 2)
    choices = choices_of([row for view in views for row in view.board.rows])
    tables = [_first_rows(view, choices, most) for view in views]
    whole, crowded = not any(table.more for table in tables), len(views) > FRONT_PLOTS
    content = {
        "boards": [
            {
                "view": view,
                "table": table,
                "superseded": old[view.page],
                "plot": None if crowded or view.large else value_plot(view.board, source.reports),
            }
            for view, table in zip(views, tables, strict=True)
        ],
        "choices": choices if whole else (),
        "whole": whole,
        "withdrawn": [
            withdrawn_batch(source.reports[batch_id], board_page(board.slug))
            for board in withdrawn_boards(source.snapshot.batches)
            for batch_id in board.withdrawn
        ],
        "releases": source.releases,
        "described": described,
    }
    return Page(name=HOME, template="leaderboard.html", content=content)


def _first_rows(view: BoardView, choices: Sequence[Choice], most: int) -> TableView:
    rows, heads = view.board.rows, heads_of(view.page, RATE)
    return table_of(view.board.anchor, rows[:most], choices, heads, more=len(rows[most:]))


def _orders(view: BoardView, source: SiteSource) -> Iterator[Page]:
    rows = view.board.rows
    for column in COLUMNS:
        chosen = rows if column is RATE else ordered(rows, column)
        first = column is RATE
        for number, at in enumerate(range(0, len(chosen), PAGE_ROWS), start=1):
            extra: dict[str, Any] = {}
            if first and number == 1 and not view.large:
                extra = {"map": view.map, "plot_section": board_plots(view.board, source.reports)}
            yield _order(view, column, chosen[at : at + PAGE_ROWS], number, extra)


def _order(view: BoardView, column: Column, rows: Sequence[Row], number: int, extra: Mapping[str, Any]) -> Page:
    heads, total = heads_of(view.page, column), len(view.board.rows)
    pages = [numbered(order_page(view.page, column), n) for n in range(1, -(-total // PAGE_ROWS) + 1)]
    table = _table(view, rows, heads, more=total - len(rows), links=view.links)
    content = {
        "column": column,
        "part": None,
        "shown": view.board,
        "answer": view.answer,
        "pages": pages,
        "number": number,
        **extra,
    }
    return _page(view, pages[number - 1], table, content)


def _gone(view: BoardView) -> Page:
    """The page of a board keeps its place when all of its batches are withdrawn: their models, and why."""
    content: dict[str, Any] = {
        "column": RATE,
        "part": None,
        "shown": view.board,
        "answer": view.answer,
        "pages": [],
        "number": 1,
    }
    return _page(view, view.page, _table(view, (), heads_of("", RATE), more=0), content)


def _part(view: BoardView, part: Part) -> Page:
    board = view.board.over(part.wanted, part.planned)
    rows = board.rows[:PAGE_ROWS]
    table = _table(view, rows, heads_of("", RATE), more=len(board.rows) - len(rows))
    content = {"column": RATE, "part": part, "shown": board, "answer": answer_of(board), "pages": [], "number": 1}
    return _page(view, view.part_page(part), table, content)


def _table(
    view: BoardView,
    rows: Sequence[Row],
    heads: Sequence[Head],
    *,
    more: int,
    links: Mapping[RowId, RowLinks | str] = MappingProxyType({}),
) -> TableView:
    return table_of(view.board.anchor, rows, choices_of(view.board.rows), heads, more=more, links=links)


def _page(view: BoardView, name: str, table: TableView, content: Mapping[str, Any]) -> Page:
    whole: dict[str, Any] = {
        "map": None,
        "plot_section": None,
        "view": view,
        "table": table,
        "described": described,
        "whole": not table.more,
        "choices": () if table.more else choices_of(view.board.rows),
        **content,
    }
    return Page(name=name, template="board.html", content=whole, crumbs=() if name == view.page else _crumbs(view))


def _pairs(view: BoardView, source: SiteSource) -> Iterator[Page]:
    rows = [(row, view.pairs.links[row.id]) for row in view.board.rows if row.id in view.pairs.links]
    pages = [view.pairs_page(number) for number in range(1, -(-len(rows) // PAIRS_A_PAGE) + 1)]
    for number, page in enumerate(pages, start=1):
        start = (number - 1) * PAIRS_A_PAGE
        content = {
            "view": view,
            "rows": [
                (
                    row,
                    *(
                        link and (link.page, row_difference(view.board, link, source.batches))
                        for link in (links.best, links.following)
                    ),
                )
                for row, links in rows[start : start + PAIRS_A_PAGE]
            ],
            "start": start,
            "pages": pages,
            "number": number,
        }
        yield Page(name=page, template="board_pairs.html", content=content, crumbs=_crumbs(view))


def _below(view: BoardView, name: str, template: str, content: Mapping[str, Any]) -> Page:
    return Page(name=view.below(name), template=template, content={"view": view, **content}, crumbs=_crumbs(view))


def _crumbs(view: BoardView) -> tuple[Crumb, ...]:
    template = view.board.definition.template
    return (Crumb(title=f"{template.id}@{template.version}", name=view.page),)
