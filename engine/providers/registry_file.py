"""Reads one `models.toml`: every entry that is sound, and every fault with its line and field."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from engine.providers.model_entry import ModelEntry

_TABLE = "models"
_ENTRY = re.compile(r"\s*\[\[\s*models\s*\]\]")
_PART = re.compile(r"\s*\[\s*models\s*\.\s*([A-Za-z0-9_-]+)\s*\]")
_SETTING = re.compile(r"""\s*["']?([A-Za-z0-9_-]+)["']?\s*(?:\.\s*([A-Za-z0-9_-]+)\s*)?=""")
_SYNTAX_LINE = re.compile(r"\s*\(at line (\d+), column \d+\)")
_KEY_LIKE = re.compile(r"key|token|secret|password|authorization", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class RegistryFault:
    """One fault of a registry file. `line` is None where none could be found; the message holds no value."""

    file: Path
    line: int | None
    field: str
    message: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else str(self.file)
        return f"{place}: {self.field}: {self.message}" if self.field else f"{place}: {self.message}"


@dataclass(frozen=True, kw_only=True, slots=True)
class PlacedEntry:
    """An entry and where its table starts."""

    entry: ModelEntry
    file: Path
    lines: EntryLines


@dataclass(kw_only=True, slots=True)
class EntryLines:
    """Where an entry's table starts and where each of its settings stands, counted from 1."""

    start: int
    settings: dict[str, int] = field(default_factory=dict)

    def of(self, path: str) -> int:
        """The line of a setting (`price.currency`), else of the table around it, else of the entry."""
        return self.settings.get(path) or self.settings.get(path.split(".")[0]) or self.start


def read_registry_file(file: Path) -> tuple[list[PlacedEntry], list[RegistryFault]]:
    """The sound entries of a file and the faults of the others."""
    try:
        text = file.read_text(encoding="utf-8")
        document = tomllib.loads(text, parse_float=Decimal)
    except OSError as error:
        return [], [RegistryFault(file=file, line=None, field="", message=f"can't be read: {error.strerror}")]
    except UnicodeDecodeError:
        return [], [RegistryFault(file=file, line=None, field="", message="is not UTF-8")]
    except tomllib.TOMLDecodeError as error:
        return [], [_syntax_fault(file, str(error))]
    faults = [
        RegistryFault(file=file, line=None, field=name, message=f"unknown table: models stand under [[{_TABLE}]]")
        for name in document
        if name != _TABLE
    ]
    tables = document.get(_TABLE, [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        message = f"must be tables, each under its own [[{_TABLE}]]"
        return [], [*faults, RegistryFault(file=file, line=None, field=_TABLE, message=message)]
    return _entries(file, tables, entry_lines(text), faults)


def entry_lines(text: str) -> list[EntryLines]:
    """The lines of each `[[models]]` table, found by its plain spelling (tomllib keeps no positions)."""
    found: list[EntryLines] = []
    prefix = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if _ENTRY.match(line):
            found.append(EntryLines(start=number))
            prefix = ""
        elif part := _PART.match(line):
            prefix = f"{part[1]}."
            _note(found, part[1], number)
        elif setting := _SETTING.match(line):
            inner = f".{setting[2]}" if setting[2] else ""
            _note(found, f"{prefix}{setting[1]}{inner}", number)
    return found


def _note(found: list[EntryLines], path: str, number: int) -> None:
    if found:
        found[-1].settings.setdefault(path, number)


def _entries(
    file: Path, tables: list[dict[str, Any]], lines: list[EntryLines], faults: list[RegistryFault]
) -> tuple[list[PlacedEntry], list[RegistryFault]]:
    placed: list[PlacedEntry] = []
    # Tables spelled in a way that the line finder doesn't know (inline) are still read, only without lines.
    known = lines if len(lines) == len(tables) else [EntryLines(start=0) for _ in tables]
    for table, where in zip(tables, known, strict=True):
        try:
            placed.append(PlacedEntry(entry=ModelEntry.model_validate(_plain(table)), file=file, lines=where))
        except ValidationError as error:
            faults.extend(_entry_faults(file, table, where, error))
    return placed, faults


def _entry_faults(
    file: Path, table: Mapping[str, Any], where: EntryLines, error: ValidationError
) -> Iterable[RegistryFault]:
    key = table.get("key")
    name = f"model {key!r}" if isinstance(key, str) and re.fullmatch(r"[a-z0-9-]{1,64}", key) else "model"
    for detail in error.errors(include_input=False, include_url=False, include_context=False):
        path = ".".join(str(part) for part in detail["loc"])
        if detail["type"] == "extra_forbidden":
            message = _unknown_setting(path)
        else:
            message = detail["msg"].removeprefix("Value error, ")
        yield RegistryFault(
            file=file, line=where.of(path) or None, field=f"{name}, {path}" if path else name, message=message
        )


def _unknown_setting(path: str) -> str:
    if _KEY_LIKE.search(path):
        return "unknown setting; a key never stands in this file: name its environment variable in credential_env"
    close = get_close_matches(path, ModelEntry.model_fields, n=1)
    return f"unknown setting; did you mean {close[0]}?" if close else "unknown setting"


def _plain(value: Any) -> Any:
    """TOML's exact numbers and days as the text that the records keep."""
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, Decimal):
        return format(value, "f")
    return value.isoformat() if isinstance(value, date) else value


def _syntax_fault(file: Path, message: str) -> RegistryFault:
    found = _SYNTAX_LINE.search(message)
    line = int(found[1]) if found else None
    return RegistryFault(file=file, line=line, field="", message=f"not valid TOML: {_SYNTAX_LINE.sub('', message)}")
