"""The bytes of a Parquet file of plain, uncompressed columns: all of the format that tables need.

https://parquet.apache.org/docs/file-format/ with metadata in Thrift's compact protocol. Every value is optional, each
column is one page, and nothing depends on a library that may write other bytes tomorrow.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal["boolean", "integer", "double", "text"]
_TYPES = {"boolean": 0, "integer": 2, "double": 5, "text": 6}
_MAGIC = b"PAR1"
_CREATED_BY = b"glassbench"
_OPTIONAL, _UTF8, _PLAIN, _RLE, _UNCOMPRESSED, _DATA_PAGE = 1, 0, 0, 3, 0, 0
# Thrift's compact types.
_I32, _I64, _BINARY, _LIST, _STRUCT = 5, 6, 8, 9, 12


Field = tuple[int, int, int | bytes]
"""Number, type and value of a Thrift field; the bytes of a list or struct are already encoded."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ParquetColumn:
    """One column: bool, int, float or str as its kind says; None is null."""

    name: str
    kind: Kind
    values: Sequence[bool | int | float | str | None]


def parquet_bytes(columns: Sequence[ParquetColumn], rows: int) -> bytes:
    """A file of one row group; each column has a value or null for each row."""
    written = bytearray(_MAGIC)
    chunks = []
    for column in columns:
        page = _page(column)
        chunks.append(_chunk(column, offset=len(written), size=len(page), rows=rows))
        written += page
    footer = _footer(columns, chunks, rows=rows, size=len(written) - len(_MAGIC))
    written += footer + struct.pack("<I", len(footer)) + _MAGIC
    return bytes(written)


def _page(column: ParquetColumn) -> bytes:
    known = [value for value in column.values if value is not None]
    levels = _bits([value is not None for value in column.values])
    # A hybrid run: groups of eight, bit-packed with a width of one.
    run = _varint((-(-len(column.values) // 8) << 1) | 1) + levels if column.values else b""
    data = struct.pack("<I", len(run)) + run + _plain(column.kind, known)
    told = _struct((1, _I32, len(column.values)), (2, _I32, _PLAIN), (3, _I32, _RLE), (4, _I32, _RLE))
    return _struct((1, _I32, _DATA_PAGE), (2, _I32, len(data)), (3, _I32, len(data)), (5, _STRUCT, told)) + data


def _plain(kind: Kind, values: Sequence[bool | int | float | str]) -> bytes:
    if kind == "boolean":
        return _bits([bool(value) for value in values])
    if kind == "integer":
        return struct.pack(f"<{len(values)}q", *values)
    if kind == "double":
        return struct.pack(f"<{len(values)}d", *values)
    texts = [str(value).encode() for value in values]
    return b"".join(struct.pack("<I", len(text)) + text for text in texts)


def _bits(flags: Sequence[bool]) -> bytes:
    """Eight a byte, the first lowest."""
    return bytes(
        sum(flag << place for place, flag in enumerate(flags[start : start + 8])) for start in range(0, len(flags), 8)
    )


def _footer(columns: Sequence[ParquetColumn], chunks: Sequence[bytes], *, rows: int, size: int) -> bytes:
    root = _struct((4, _BINARY, b"schema"), (5, _I32, len(columns)))
    group = _struct((1, _LIST, _list(_STRUCT, chunks)), (2, _I64, size), (3, _I64, rows))
    return _struct(
        (1, _I32, 1),
        (2, _LIST, _list(_STRUCT, [root, *map(_schema, columns)])),
        (3, _I64, rows),
        (4, _LIST, _list(_STRUCT, [group])),
        (6, _BINARY, _CREATED_BY),
    )


def _schema(column: ParquetColumn) -> bytes:
    converted: list[Field] = [(6, _I32, _UTF8)] if column.kind == "text" else []
    name = column.name.encode()
    return _struct((1, _I32, _TYPES[column.kind]), (3, _I32, _OPTIONAL), (4, _BINARY, name), *converted)


def _chunk(column: ParquetColumn, *, offset: int, size: int, rows: int) -> bytes:
    metadata = _struct(
        (1, _I32, _TYPES[column.kind]),
        (2, _LIST, _list(_I32, [_zigzag(_PLAIN), _zigzag(_RLE)])),
        (3, _LIST, _list(_BINARY, [_binary(column.name.encode())])),
        (4, _I32, _UNCOMPRESSED),
        (5, _I64, rows),
        (6, _I64, size),
        (7, _I64, size),
        (9, _I64, offset),
    )
    return _struct((2, _I64, offset), (3, _STRUCT, metadata))


def _struct(*fields: Field) -> bytes:
    written, last = bytearray(), 0
    for number, kind, value in fields:
        written.append((number - last) << 4 | kind)
        if isinstance(value, int):
            written += _zigzag(value)
        else:
            written += _binary(value) if kind == _BINARY else value
        last = number
    return bytes(written) + b"\0"


def _list(kind: int, items: Sequence[bytes]) -> bytes:
    short = len(items) < 15
    head = bytes([(len(items) << 4 if short else 0xF0) | kind]) + (b"" if short else _varint(len(items)))
    return head + b"".join(items)


def _binary(data: bytes) -> bytes:
    return _varint(len(data)) + data


def _zigzag(value: int) -> bytes:
    return _varint(value << 1 if value >= 0 else (-value << 1) - 1)


def _varint(value: int) -> bytes:
    written = bytearray()
    while value > 0x7F:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    written.append(value)
    return bytes(written)
