"""YAML for packs: plain data with the line of every value, and nothing that surprises.

Scalars follow the YAML 1.2 core schema without its oddities: true, false, null, decimal integers and floats;
everything else (`no`, `on`, dates, `012`, `0x1f`) is text. Duplicate keys, anchors, aliases, tags, keys that are
not text, several documents in one file and deep nesting are faults.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from dataset.canonical import MAX_DEPTH
from dataset.questions.pack_fault import DocumentPath, PackFault, path_text

# libyaml's parser where the wheel has it (it always does on the platforms we support): ten times faster.
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_INTEGER = re.compile(r"-?(0|[1-9][0-9]*)")
_FLOAT = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None, "~": None, "": None}


@dataclass(frozen=True, kw_only=True)
class Document:
    """One YAML file as a value; `lines` holds the line of each key or list item by its path."""

    file: str
    value: Any
    lines: Mapping[DocumentPath, int]
    faults: tuple[PackFault, ...] = ()

    def fault(self, code: str, path: DocumentPath, message: str) -> PackFault:
        """A fault at a path; where the path leads nowhere, at the nearest place above it that exists."""
        known = path
        while known not in self.lines and known:
            known = known[:-1]
        return PackFault(
            code=code, file=self.file, line=self.lines.get(known, 1), path=path_text(path), message=message
        )


def read_document(text: str, file: str) -> Document:
    """The value of a YAML text with its lines; whatever is wrong with the YAML itself stands in `faults`."""
    builder = _Builder(file)
    try:
        value = builder.build(yaml.parse(text, Loader=_Loader))
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        return builder.broken("PACK-YAML-001", line, (), f"not valid YAML: {error.problem or error.context}")
    except yaml.YAMLError as error:
        return builder.broken("PACK-YAML-001", 1, (), f"not valid YAML: {error}")
    except _UnreadableError as error:
        return builder.broken(error.code, error.line, error.path, error.message)
    return Document(file=file, value=value, lines=builder.lines, faults=tuple(builder.faults))


class _UnreadableError(Exception):
    """The YAML uses something that a pack may not; reading stops there."""

    def __init__(self, code: str, line: int, path: DocumentPath, message: str) -> None:
        super().__init__(message)
        self.code, self.line, self.path, self.message = code, line, path, message


class _Builder:
    """Builds one document from parser events, so that nothing is expanded before it was looked at."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.lines: dict[DocumentPath, int] = {(): 1}
        self.faults: list[PackFault] = []

    def broken(self, code: str, line: int, path: DocumentPath, message: str) -> Document:
        """A document with no value and the one fault that stopped the reading."""
        fault = PackFault(code=code, file=self.file, line=line, path=path_text(path), message=message)
        return Document(file=self.file, value=None, lines=self.lines, faults=(*self.faults, fault))

    def build(self, events: Iterator[yaml.Event]) -> Any:
        """The value of the only document in the stream."""
        value, documents = None, 0
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    line = _line(event)
                    raise _UnreadableError("PACK-YAML-004", line, (), "more than one YAML document in the file")
            elif isinstance(event, yaml.NodeEvent):
                value = self._value(event, events, ())
        return value

    def _value(self, event: yaml.Event, events: Iterator[yaml.Event], path: DocumentPath) -> Any:
        self._refuse_tricks(event, path)
        if isinstance(event, yaml.MappingStartEvent):
            return self._mapping(events, path)
        if isinstance(event, yaml.SequenceStartEvent):
            return self._sequence(events, path)
        assert isinstance(event, yaml.ScalarEvent)
        return event.value if event.style else _scalar(event.value)

    def _refuse_tricks(self, event: yaml.Event, path: DocumentPath) -> None:
        line = _line(event)
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise _UnreadableError("PACK-YAML-002", line, path, "anchors and aliases are not allowed: write it out")
        if getattr(event, "tag", None):
            raise _UnreadableError("PACK-YAML-003", line, path, "tags (`!…`) are not allowed")
        if len(path) > MAX_DEPTH:
            raise _UnreadableError("PACK-YAML-005", line, path[:3], f"nested deeper than {MAX_DEPTH}")

    def _sequence(self, events: Iterator[yaml.Event], path: DocumentPath) -> list[Any]:
        items: list[Any] = []
        for event in events:
            if isinstance(event, yaml.SequenceEndEvent):
                break
            below = (*path, len(items))
            self.lines[below] = _line(event)
            items.append(self._value(event, events, below))
        return items

    def _mapping(self, events: Iterator[yaml.Event], path: DocumentPath) -> dict[str, Any]:
        entries: dict[str, Any] = {}
        for event in events:
            if isinstance(event, yaml.MappingEndEvent):
                break
            line = _line(event)
            self._refuse_tricks(event, path)
            if not isinstance(event, yaml.ScalarEvent):
                raise _UnreadableError("PACK-YAML-006", line, path, "a key must be text")
            key, below = event.value, (*path, event.value)
            if key in entries:
                fault = PackFault(
                    code="PACK-DUP-001",
                    file=self.file,
                    line=line,
                    path=path_text(below),
                    message=f"duplicate key {key!r}, first on line {self.lines[below]}",
                )
                self.faults.append(fault)
                self._value(next(events), events, ("duplicate", *below))
                continue
            self.lines[below] = line
            entries[key] = self._value(next(events), events, below)
        return entries


def _line(event: yaml.Event) -> int:
    mark = event.start_mark
    return 1 if mark is None else mark.line + 1


def _scalar(text: str) -> str | int | float | bool | None:
    """A plain scalar as the few types that JSON has; long numbers stay text, for they would lose digits."""
    if text in _WORDS:
        return _WORDS[text]
    if len(text) <= 15 and _INTEGER.fullmatch(text):
        return int(text)
    if len(text) <= 15 and _FLOAT.fullmatch(text):
        number = float(text)
        return number if math.isfinite(number) else text
    return text
