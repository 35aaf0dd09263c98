"""Tables as Parquet: for reading with other tools at once. Decimals are doubles here, the nearest to each; CSV and JSON
have their digits. Lists are a JSON array in text, as in CSV, and texts exactly what they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dataset.canonical import canonical_text
from publisher.exports import parquet_encoding
from publisher.exports.interface import ExportFile, ExportSource
from publisher.exports.parquet_encoding import ParquetColumn, parquet_bytes
from publisher.exports.tables.catalogue import DATA, TABLES
from publisher.exports.tables.interface import Cell, Kind, Table

_KINDS: Mapping[Kind, parquet_encoding.Kind] = {
    "id": "text",
    "text": "text",
    "integer": "integer",
    "decimal": "double",
    "boolean": "boolean",
    "time": "text",
    "list": "text",
}


def parquet_tables(source: ExportSource) -> Iterator[ExportFile]:
    """`data/{table}.parquet` for every table."""
    for table in TABLES:
        yield ExportFile(
            name=parquet_name(table),
            title=f"{table.title}, Parquet",
            media_type="application/vnd.apache.parquet",
            data=parquet_table(table, source),
        )


def parquet_name(table: Table[Any]) -> str:
    """Where the Parquet of a table stands."""
    return f"{DATA}/{table.id}.parquet"


def parquet_table(table: Table[Any], source: ExportSource) -> bytes:
    """All rows in one row group; unknown is null."""
    rows = list(table.rows(source))
    columns = [
        ParquetColumn(
            name=column.name,
            kind=_KINDS[column.kind],
            values=[_value(row[place], column.kind) for row in rows],
        )
        for place, column in enumerate(table.columns)
    ]
    return parquet_bytes(columns, len(rows))


def _value(cell: Cell, kind: Kind) -> bool | int | float | str | None:
    if isinstance(cell, tuple):
        return canonical_text(list(cell))
    return float(cell) if kind == "decimal" and cell is not None else cell
