"""Tables as JSON: an array of objects, one a line, with every text exactly as it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from publisher.exports.interface import ExportFile, ExportSource
from publisher.exports.tables.catalogue import DATA, TABLES
from publisher.exports.tables.interface import Table


def json_tables(source: ExportSource) -> Iterator[ExportFile]:
    """`data/{table}.json` for every table."""
    for table in TABLES:
        yield ExportFile(
            name=json_name(table),
            title=f"{table.title}, JSON",
            media_type="application/json",
            data=json_bytes(table, source),
        )


def json_name(table: Table[Any]) -> str:
    """Where the JSON of a table stands."""
    return f"{DATA}/{table.id}.json"


def json_bytes(table: Table[Any], source: ExportSource) -> bytes:
    """All rows: members in the order of the columns, decimals as text, unknown null."""
    names = [column.name for column in table.columns]
    lines = [orjson.dumps(dict(zip(names, row, strict=True))) for row in table.rows(source)]
    return b"[" + b",".join(b"\n" + line for line in lines) + b"\n]\n"
