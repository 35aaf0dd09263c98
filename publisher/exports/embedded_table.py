"""A leaderboard to paste into another page: a plain table, without frame, script, style or anything that is fetched.

It stands in a text file, since it is a part of a page and no page.
"""

from __future__ import annotations

from collections.abc import Iterator

from markupsafe import Markup

from publisher.exports.interface import ExportFile, ExportSource
from publisher.rendering.boards.board import Board, Row
from publisher.rendering.figures import UNKNOWN, figure, percent
from publisher.rendering.visible_text import plain

_HEAD = ("Rank", "Model", "Pass rate", "95 % interval", "Valid / planned", "Cost")


def embedded_tables(source: ExportSource) -> Iterator[ExportFile]:
    """`embed/{board}.html.txt` for every board."""
    for board in source.boards:
        yield ExportFile(
            name=embedded_name(board),
            title=f"Table of {board.definition.template.id}@{board.definition.template.version} for other pages",
            media_type="text/plain",
            data=_table(board, source).encode(),
        )


def embedded_name(board: Board) -> str:
    """Where the table of a board stands."""
    return f"embed/{board.anchor}.html.txt"


def _table(board: Board, source: ExportSource) -> str:
    title = Markup("{} ({}@{})").format(
        plain(board.definition.template.title.en), board.definition.template.id, board.definition.template.version
    )
    head = Markup("").join(Markup('<th scope="col">{}</th>').format(name) for name in _HEAD)
    rows = Markup("\n").join(_row(row, source) for row in board.rows)
    return Markup(
        "<table>\n<caption>{}. {}</caption>\n<thead><tr>{}</tr></thead>\n<tbody>\n{}\n</tbody>\n</table>\n"
    ).format(title, _origin(board, source), head, rows)


def _origin(board: Board, source: ExportSource) -> Markup:
    told = f"Glassbench, release {source.release}"
    if source.address is None:
        return Markup("{}").format(told)
    return Markup('<a href="{}">{}</a>').format(source.address.of(f"index.html#{board.anchor}-title"), told)


def _row(row: Row, source: ExportSource) -> Markup:
    measures = row.measures
    name = Markup("<bdi>{}</bdi>{}").format(
        plain(row.model.display_name), " (synthetic)" if row.model.synthetic else ""
    )
    if source.address is not None:
        link = source.address.of(f"batches/{row.batch_id}.html#model-{row.model.key}")
        name = Markup('<a href="{}">{}</a>').format(link, name)
    rate, low, high = measures.metrics["pass-rate"], measures.pass_rate_low, measures.pass_rate_high
    cells = (
        percent(rate) if rate is not None else UNKNOWN,
        f"{percent(low)} – {percent(high)}" if low is not None and high is not None else UNKNOWN,
        f"{measures.valid} / {measures.planned}",
        figure("cost", measures).text,
    )
    rest = Markup("").join(Markup("<td>{}</td>").format(plain(str(cell))) for cell in cells)
    return Markup('<tr><td>{}</td><th scope="row">{}</th>{}</tr>').format(row.rank or "–", name, rest)
