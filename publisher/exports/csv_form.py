"""Tables as CSV: RFC 4180 in UTF-8, safe to open in a spreadsheet.

A spreadsheet runs a cell that begins with `=`, `+`, `-` or `@` as a formula, and some do so behind blanks. In columns
of text such a cell gets an apostrophe before it, and so does one that begins with an apostrophe, so that taking one
away gives the text back. Numbers are made by us and keep their sign. Unseen characters are named as on the pages; the
JSON has the exact text.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from typing import Any

from dataset.canonical import canonical_text
from publisher.exports.interface import ExportFile, ExportSource
from publisher.exports.tables.catalogue import DATA, TABLES
from publisher.exports.tables.interface import Cell, Kind, Table
from publisher.rendering.visible_text import plain

_FORMULA = re.compile("\\s*[=+@＝＋－＠﹦﹢﹣﹫\u2212-]|[\t\r\n']")
"""Full-width and small signs and the minus of U+2212 too: some spreadsheets take them for the plain ones."""


def csv_tables(source: ExportSource) -> Iterator[ExportFile]:
    """`data/{table}.csv` for every table."""
    for table in TABLES:
        yield ExportFile(
            name=csv_name(table), title=f"{table.title}, CSV", media_type="text/csv", data=csv_bytes(table, source)
        )


def csv_name(table: Table[Any]) -> str:
    """Where the CSV of a table stands."""
    return f"{DATA}/{table.id}.csv"


def csv_bytes(table: Table[Any], source: ExportSource) -> bytes:
    """A header and all rows; unknown is empty."""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\r\n")
    writer.writerow([column.name for column in table.columns])
    kinds = [column.kind for column in table.columns]
    for row in table.rows(source):
        writer.writerow([csv_cell(cell, kind) for cell, kind in zip(row, kinds, strict=True)])
    return written.getvalue().encode()


def csv_cell(cell: Cell, kind: Kind) -> str:
    """A cell as it stands between commas, not yet quoted."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, tuple):
        return plain(canonical_text(list(cell)))
    text = plain(str(cell))
    # An id may be outside text in a report that somebody forged: only numbers keep a leading sign.
    is_number = kind in ("integer", "decimal")
    return f"'{text}" if not is_number and _FORMULA.match(text) else text
