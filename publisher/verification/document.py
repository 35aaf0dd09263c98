"""Reading one canonical record out of bytes that anyone may have written."""

from __future__ import annotations

from typing import TypeVar

from pydantic import ValidationError

from dataset.canonical import CanonicalError, canonical_bytes, read_canonical
from dataset.record import Record
from publisher.verification.difference import Difference

R = TypeVar("R", bound=Record)
MOST_FAULTS = 20


def read_record(kind: type[R], data: bytes, file: str) -> tuple[R | None, list[Difference]]:
    """The record in canonical bytes, or None and why it isn't one. Every field must stand in the file."""
    try:
        read_canonical(data)
        record = kind.model_validate_json(data, strict=True)
        if canonical_bytes(record.body(), allow_floats=True) != data:
            return None, [_fault(file, "", "fields are missing or written in another form")]
    except CanonicalError as error:
        return None, [_fault(file, "", error.message)]
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False, include_context=False)[:MOST_FAULTS]
        return None, [_fault(file, "".join(f"/{part}" for part in fault["loc"][:8]), fault["msg"]) for fault in faults]
    except (ValueError, RecursionError) as error:
        return None, [_fault(file, "", f"not readable: {type(error).__name__}")]
    return record, []


def _fault(file: str, pointer: str, message: str) -> Difference:
    return Difference(place=pointer, expected="", observed="", message=message).within(file)
