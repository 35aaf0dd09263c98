"""From a place in a document to a record, or to the faults that stand in its way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import orjson
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from dataset.questions.pack_document import Document
from dataset.questions.pack_fault import DocumentPath, PackFault
from dataset.questions.withholding import WITHHELD
from dataset.record import LOCALES

R = TypeVar("R", bound=BaseModel)


@dataclass(frozen=True, kw_only=True)
class Entry(Generic[R]):
    """A record and the place it was read from."""

    record: R
    document: Document
    path: DocumentPath

    def fault(self, code: str, message: str, *below: str | int) -> PackFault:
        """A fault at a path below this entry."""
        return self.document.fault(code, (*self.path, *below), message)


def read_entry(
    model: type[R], document: Document, path: DocumentPath, codes: Mapping[str, str] | None = None
) -> Entry[R] | tuple[PackFault, ...]:
    """The record at a path, read strictly (no text for a number, no number for text), or its faults.

    `codes` gives fields whose own checks fail a code of their own.
    """
    value = value_at(document.value, path)
    try:
        record = model.model_validate_json(orjson.dumps(value), strict=True)
    except ValidationError as error:
        faults = (_fault(document, path, detail, codes or {}) for detail in error.errors(include_url=False))
        return tuple(_once_a_place(faults))
    return Entry(record=record, document=document, path=path)


def list_paths(document: Document) -> tuple[tuple[DocumentPath, ...], tuple[PackFault, ...]]:
    """The paths of the entries of a document whose root is a list."""
    if not isinstance(document.value, list):
        return (), (document.fault("PACK-FIELD-003", (), "the file must hold a list of entries"),)
    return tuple((i,) for i in range(len(document.value))), ()


def value_at(value: Any, path: Sequence[str | int]) -> Any:
    """The value at a path; None where the path leads nowhere."""
    for part in path:
        try:
            value = value[part]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def _fault(document: Document, base: DocumentPath, detail: ErrorDetails, codes: Mapping[str, str]) -> PackFault:
    kind, location = detail["type"], detail["loc"]
    where = (*base, *location)
    if kind == "extra_forbidden":
        return document.fault("PACK-FIELD-001", where, f"unknown key {location[-1]!r}")
    if kind == "missing":
        if location[-1] in LOCALES:
            return document.fault("PACK-LOCALE-001", where, f"the text for locale {location[-1]!r} is missing")
        return document.fault("PACK-FIELD-002", where, f"{location[-1]!r} is missing")
    known = _known_part(document, where)
    if kind == "literal_error" and "withheld" in location:
        message = f"{detail['input']!r} can't be withheld; what can be: {', '.join(WITHHELD)}"
        return document.fault("PACK-WITHHELD-004", where, message)
    code = codes.get(str(location[-1]) if location else "", "PACK-FIELD-003")
    message = detail["msg"].removeprefix("Value error, ")
    if kind == "string_type" and isinstance(detail["input"], int | float):
        message += " (put it in quotes)"
    return document.fault(code, known, message)


def _known_part(document: Document, path: DocumentPath) -> DocumentPath:
    """The path without the names that pydantic adds for the members of a union."""
    known: DocumentPath = ()
    for part in path:
        if (*known, part) in document.lines:
            known = (*known, part)
    return known


def _once_a_place(faults: Iterator[PackFault]) -> Iterator[PackFault]:
    """One fault for each place: every member of a union complains on its own."""
    seen: set[tuple[str, str]] = set()
    for fault in faults:
        if (fault.code, fault.path) not in seen:
            seen.add((fault.code, fault.path))
            yield fault
