from __future__ import annotations

import hashlib
import io
import json
import struct

import pytest

from publisher.exports.parquet_encoding import ParquetColumn, parquet_bytes
from publisher.exports.parquet_form import parquet_name
from publisher.exports.tables.catalogue import TABLES

EVERY_KIND = (
    ParquetColumn(name="flag", kind="boolean", values=[True, None, False]),
    ParquetColumn(name="count", kind="integer", values=[-1, 2**53, None]),
    ParquetColumn(name="share", kind="double", values=[None, 0.1, -2.5]),
    ParquetColumn(name="words", kind="text", values=["", None, "中文 =1+1"]),
)


def test_the_bytes_of_every_kind_of_column_are_those_that_other_tools_were_seen_to_read() -> None:
    """PyArrow 26 and DuckDB 2 gave these very values back."""
    data = parquet_bytes(EVERY_KIND, 3)
    assert hashlib.sha256(data).hexdigest() == "bdc8a08fd0f671342f417fde96bdf560e061767f28b6796a7bc5e278f8a36d99"


def test_every_file_has_its_marks_and_a_footer_within_it(changed_site: dict[str, bytes]) -> None:
    for table in TABLES:
        data = changed_site[parquet_name(table)]
        assert data[:4] == data[-4:] == b"PAR1"
        (footer,) = struct.unpack("<I", data[-8:-4])
        assert 0 < footer < len(data) - 12
        for column in table.columns:
            assert column.name.encode() in data[-8 - footer : -8]


def test_pyarrow_reads_what_the_json_says(changed_site: dict[str, bytes]) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow isn't installed")
    for table in TABLES:
        found = parquet.read_table(io.BytesIO(changed_site[parquet_name(table)])).to_pylist()
        for row, other in zip(found, json.loads(changed_site[f"data/{table.id}.json"]), strict=True):
            for column in table.columns:
                value = other[column.name]
                if column.kind == "decimal" and value is not None:
                    value = float(value)
                elif column.kind == "list" and value is not None:
                    value = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
                assert row[column.name] == value
