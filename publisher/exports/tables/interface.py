"""What a table is: named columns, each with its kind, its meaning, and how it follows from a record of the snapshot."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from publisher.exports.interface import ExportSource

R = TypeVar("R")
Cell = str | int | bool | tuple[str, ...] | None
"""None is unknown, and never 0."""
Kind = Literal["id", "text", "integer", "decimal", "boolean", "time", "list"]
"""`id`: a name of our own, of letters, digits and hyphens. `text`: anything that an author wrote. `decimal`: exactly as
the report has it. `list`: several ids or codes."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Column(Generic[R]):
    """One column. `value` takes it from a record."""

    name: str
    kind: Kind
    description: str
    value: Callable[[R], Cell]


@dataclass(frozen=True, kw_only=True, slots=True)
class Table(Generic[R]):
    """One table. `key` names the columns that tell its rows apart."""

    id: str
    title: str
    description: str
    key: tuple[str, ...]
    columns: tuple[Column[R], ...]
    records: Callable[[ExportSource], Iterator[R]]

    def rows(self, source: ExportSource) -> Iterator[tuple[Cell, ...]]:
        """The cells of every row, in the order of the columns."""
        for record in self.records(source):
            yield tuple(column.value(record) for column in self.columns)
