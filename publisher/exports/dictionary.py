"""The data dictionary of all CSV files, as W3C metadata for tabular data: `data/csv-metadata.json`.

https://www.w3.org/TR/tabular-metadata/
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dataset.canonical import Json
from publisher.exports.csv_form import csv_name
from publisher.exports.document import json_document
from publisher.exports.interface import ExportFile, ExportSource
from publisher.exports.tables.catalogue import DATA, TABLES
from publisher.exports.tables.interface import Kind, Table

_DATATYPES: Mapping[Kind, str] = {
    "id": "string",
    "text": "string",
    "integer": "integer",
    "decimal": "decimal",
    "boolean": "boolean",
    "time": "dateTimeStamp",
    "list": "json",
}


def dictionary(_source: ExportSource) -> Iterator[ExportFile]:
    """The one file: the same for every snapshot."""
    described: Json = {
        "@context": ["http://www.w3.org/ns/csvw", {"@language": "en"}],
        "tables": [_table(table) for table in TABLES],
    }
    yield ExportFile(
        name=f"{DATA}/csv-metadata.json",
        title="Data dictionary of the CSV files (CSV on the Web)",
        media_type="application/csvm+json",
        data=json_document(described),
    )


def _table(table: Table[Any]) -> Json:
    return {
        "url": csv_name(table).removeprefix(f"{DATA}/"),
        "dc:title": table.title,
        "dc:description": table.description,
        "tableSchema": {
            "columns": [
                {
                    "name": column.name,
                    "titles": column.name,
                    "dc:description": column.description,
                    "datatype": _DATATYPES[column.kind],
                    "required": column.name in table.key,
                }
                for column in table.columns
            ],
            "primaryKey": list(table.key),
        },
    }
