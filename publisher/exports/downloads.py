"""What the page of downloads shows: every file to take along, how to cite each release, and what to embed elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from publisher.exports.address import SiteAddress, located
from publisher.exports.archive import ARCHIVE
from publisher.exports.badge import badge_name
from publisher.exports.citation import Citation, citations
from publisher.exports.csv_form import csv_name
from publisher.exports.embedded_table import embedded_name
from publisher.exports.json_form import json_name
from publisher.exports.parquet_form import parquet_name
from publisher.exports.site_exports import SiteExports
from publisher.exports.structured_data import DataFile, in_page
from publisher.exports.tables.catalogue import DATA, TABLES
from publisher.exports.tables.interface import Table
from publisher.rendering.boards.board import Board, Row


@dataclass(frozen=True, kw_only=True, slots=True)
class TableFiles:
    """A table in its three forms."""

    table: Table[Any]
    csv: DataFile
    json: DataFile
    parquet: DataFile


@dataclass(frozen=True, kw_only=True, slots=True)
class Embedding:
    """What of a board can stand on another page: its table, and a badge for each row, by the model's name."""

    board: Board
    table: str
    badges: Sequence[tuple[str, str]]


@dataclass(frozen=True, kw_only=True, slots=True)
class DownloadsView:
    """The whole page. `snippet` shows how a badge is embedded; None where there is none to show."""

    address: SiteAddress | None
    archive: DataFile
    folder: str
    tables: Sequence[TableFiles]
    citations: Sequence[Citation]
    embeddings: Sequence[Embedding]
    snippet: str | None
    structured_data: Markup


def downloads_view(exports: SiteExports) -> DownloadsView:
    """The page, once all that it names is made."""
    source, files = exports.source, {file.name: file for file in exports.files}
    embeddings = [_embedding(board) for board in source.boards]
    rows = [row for board in source.boards for row in board.rows]
    return DownloadsView(
        address=source.address,
        archive=files[ARCHIVE],
        folder=exports.folder,
        tables=[_table_files(table, files) for table in TABLES],
        citations=list(citations(source)),
        embeddings=embeddings,
        snippet=_snippet(rows[0], source.address) if rows else None,
        # Reports and citations grow with every release, and a page shouldn't.
        structured_data=in_page(source, [file for file in exports.files if file.name.startswith(f"{DATA}/")]),
    )


def _snippet(row: Row, address: SiteAddress | None) -> str:
    return f'<img src="{located(address, badge_name(row))}" alt="Pass rate of {row.model.key}">'


def _table_files(table: Table[Any], files: Mapping[str, DataFile]) -> TableFiles:
    return TableFiles(
        table=table, csv=files[csv_name(table)], json=files[json_name(table)], parquet=files[parquet_name(table)]
    )


def _embedding(board: Board) -> Embedding:
    return Embedding(
        board=board,
        table=embedded_name(board),
        badges=[(row.model.display_name, badge_name(row)) for row in board.rows],
    )
