"""Where the tables of a TOML file and their settings stand, by their plain spelling (tomllib keeps no positions)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

_NAME = r"[A-Za-z0-9_-]+"
_HEADER = re.compile(rf"\s*(\[\[?)\s*({_NAME}(?:\s*\.\s*{_NAME})*)\s*\]")
_SETTING = re.compile(rf"""\s*["']?({_NAME})["']?\s*(?:\.\s*({_NAME})\s*)?=""")


@dataclass(kw_only=True, slots=True)
class TableLines:
    """Where a table starts and where each of its settings stands, counted from 1; 0 where nobody knows."""

    start: int
    settings: dict[str, int] = field(default_factory=dict)

    def of(self, path: str) -> int:
        """The line of a setting (`price.tiers.0.currency`), else of what is around it, else of the table."""
        while path:
            if line := self.settings.get(path):
                return line
            path = path.rpartition(".")[0]
        return self.start


def table_lines(text: str, kinds: Iterable[str]) -> dict[str, list[TableLines]]:
    """The lines of each `[[kind]]` table, in order, with those of the tables inside it."""
    found: dict[str, list[TableLines]] = {kind: [] for kind in kinds}
    current: TableLines | None = None
    prefix, counted = "", Counter[str]()
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _HEADER.match(line):
            kind, *inner = re.split(r"\s*\.\s*", header[2])
            if not inner and kind in found:
                current, prefix, counted = TableLines(start=number), "", Counter()
                found[kind].append(current)
                continue
            path = ".".join(inner)
            if header[1] == "[[":
                counted[path] += 1
                path = f"{path}.{counted[path] - 1}"
            prefix = f"{path}."
            if current is not None:
                current.settings.setdefault(path, number)
        elif current is not None and (setting := _SETTING.match(line)):
            inner_name = f".{setting[2]}" if setting[2] else ""
            current.settings.setdefault(f"{prefix}{setting[1]}{inner_name}", number)
    return found
