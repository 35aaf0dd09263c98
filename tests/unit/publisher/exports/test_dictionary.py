"""The data dictionary, in the repository and beside the tables, is that of the code."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from publisher.exports.tables.catalogue import TABLES

REFERENCE = Path(__file__).parents[4] / "docs/reference/exports.md"


def described() -> Iterator[str]:
    for table in TABLES:
        keys = ", ".join(f"`{name}`" for name in table.key)
        yield from (f"### {table.id}", "", f"{table.description} Key: {keys}.", "")
        yield from ("| column | kind | meaning |", "|---|---|---|")
        yield from (f"| `{column.name}` | {column.kind} | {column.description} |" for column in table.columns)
        yield ""


def test_the_reference_describes_every_column_of_every_table() -> None:
    text = REFERENCE.read_text(encoding="utf-8")
    assert text[text.index("### ") :].rstrip("\n") == "\n".join(described()).rstrip("\n")


def test_no_description_breaks_its_table() -> None:
    for table in TABLES:
        assert set(table.key) <= {column.name for column in table.columns}
        for column in table.columns:
            assert column.description
            assert "|" not in column.description
            assert "\n" not in column.description


def test_the_dictionary_beside_the_tables_has_the_columns_of_each_in_order(unlogged_site: dict[str, bytes]) -> None:
    found = json.loads(unlogged_site["data/csv-metadata.json"])
    assert found["@context"][0] == "http://www.w3.org/ns/csvw"
    for described_table, table in zip(found["tables"], TABLES, strict=True):
        header = unlogged_site[f"data/{described_table['url']}"].split(b"\r\n", 1)[0].decode().split(",")
        schema = described_table["tableSchema"]
        assert [column["name"] for column in schema["columns"]] == header
        assert schema["primaryKey"] == list(table.key)
        assert [c["name"] for c in schema["columns"] if c["required"]] == [n for n in header if n in table.key]
