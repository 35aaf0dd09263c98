"""One fault of a pack: what is wrong, in which file, on which line, at which path inside the document."""

from __future__ import annotations

from collections.abc import Iterable

from dataset.record import Record

DocumentPath = tuple[str | int, ...]
"""Keys and list positions from the root of a document to a value."""


class PackFault(Record):
    """A fault that a person can find and mend. `file` is relative to the pack, `line` counts from 1."""

    code: str
    file: str
    line: int
    path: str
    message: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" + (f" {self.path}" if self.path else "")
        return f"{place}: {self.message} [{self.code}]"


def path_text(path: DocumentPath) -> str:
    """A path as a person writes it: `gold.tools.must[0].tool`; the root is the empty string."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return "".join(parts).removeprefix(".")


def in_reading_order(faults: Iterable[PackFault]) -> tuple[PackFault, ...]:
    """The faults by file, line, path and code, each once."""
    return tuple(sorted(set(faults), key=lambda f: (f.file, f.line, f.path, f.code, f.message)))
