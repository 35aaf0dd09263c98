"""Checking an export from its files alone: every line, every hash, every sum. No database."""

from __future__ import annotations

import hashlib
import re
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from pydantic import ValidationError

from dataset.canonical import CanonicalError, Json, read_canonical
from dataset.errors import GlassbenchError
from engine.audit.lines import (
    ATTEMPTS_FILE,
    EVENTS_FILE,
    FIRST_LINK,
    MANIFEST_FILE,
    AttemptLine,
    EventLine,
    FileFacts,
    Manifest,
    link,
    record_bytes,
)
from engine.audit.record_rules import attempt_faults, event_faults
from engine.audit.totals import AttemptTotals, EventTally

LONGEST_LINE = 16 << 20
MOST_FAULTS = 1000
"""How many faults are named; the others are counted."""


class ExportMissingError(GlassbenchError):
    """There is no export to check."""

    code = "EXPORT-MISSING-001"


@dataclass(frozen=True, kw_only=True, slots=True)
class ExportFault:
    """What is wrong, in which file, and at which line (from 1), where it is one line's fault."""

    file: str
    line: int | None
    message: str

    def __str__(self) -> str:
        return f"{self.file}{'' if self.line is None else f':{self.line}'}: {self.message}"


@dataclass(kw_only=True, slots=True)
class Checked:
    """What was found: the first faults, how many there are in all, and how much was looked at."""

    faults: list[ExportFault] = field(default_factory=list)
    fault_count: int = 0
    events: int = 0
    attempts: int = 0

    def add(self, file: str, line: int | None, message: str) -> None:
        """Notes a fault."""
        self.fault_count += 1
        if len(self.faults) < MOST_FAULTS:
            self.faults.append(ExportFault(file=file, line=line, message=message))


def check_export(directory: Path) -> Checked:
    """Every fault of an export. ExportMissingError where there is no manifest; OSError where a file can't be read."""
    found = Checked()
    manifest = _read_manifest(directory, found)
    if manifest is None:
        return found
    _check_names(directory, manifest, found)
    _EventsCheck(directory, manifest, found).run()
    if manifest.totals is not None:
        _AttemptsCheck(directory, manifest, found).run()
    return found


def _read_manifest(directory: Path, found: Checked) -> Manifest | None:
    path = directory / MANIFEST_FILE
    if not path.is_file():
        raise ExportMissingError(
            f"{directory} holds no {MANIFEST_FILE}", hint="name a directory that `glassbench ledger export` wrote"
        )
    try:
        return Manifest.model_validate(read_canonical(path.read_bytes()))
    except CanonicalError as error:
        found.add(MANIFEST_FILE, None, error.message)
    except ValidationError as error:
        found.add(MANIFEST_FILE, None, _first(error))
    return None


def _check_names(directory: Path, manifest: Manifest, found: Checked) -> None:
    expected = {EVENTS_FILE} if manifest.totals is None else {EVENTS_FILE, ATTEMPTS_FILE}
    if set(manifest.files) != expected:
        found.add(MANIFEST_FILE, None, f"names the files {sorted(manifest.files)}, not {sorted(expected)}")
    for path in sorted(directory.iterdir()):
        if path.name not in (*expected, MANIFEST_FILE):
            found.add(path.name, None, "isn't a file of an export")
        elif not stat.S_ISREG(path.lstat().st_mode):
            found.add(path.name, None, "isn't a regular file")


class _LinesCheck:
    """One file of lines against what the manifest says of it."""

    name = ""

    def __init__(self, directory: Path, manifest: Manifest, found: Checked) -> None:
        self._path = directory / self.name
        self._manifest = manifest
        self._found = found

    def run(self) -> None:
        """Notes every fault of the file."""
        if self._path.is_symlink() or not self._path.is_file():
            self._found.add(self.name, None, "is missing")
            return
        with self._path.open("rb") as file:
            facts = self._read(file)
        self._compare(self.name, self._manifest.files.get(self.name), facts)
        self.finish()

    def finish(self) -> None:
        """Notes what can be said only of all lines."""
        raise NotImplementedError

    def record(self, number: int, record: Json) -> None:
        """Looks at the record of a line."""
        raise NotImplementedError

    def fault(self, number: int, message: str) -> None:
        """Notes a fault of a line."""
        self._found.add(self.name, number, message)

    def _read(self, file: BinaryIO) -> FileFacts:
        digest, chain, lines, size = hashlib.sha256(), FIRST_LINK, 0, 0
        while line := file.readline(LONGEST_LINE + 1):
            lines, size = lines + 1, size + len(line)
            digest.update(line)
            chain = self._line(lines, line, chain)
        return FileFacts(lines=lines, bytes=size, sha256=digest.hexdigest(), chain=chain)

    def _line(self, number: int, line: bytes, previous: str) -> str:
        """The link that the next line has to follow: this line's own, so that a fault is named once."""
        if not line.endswith(b"\n"):
            self.fault(number, "is cut off" if len(line) <= LONGEST_LINE else "is longer than 16 MiB")
            return previous
        try:
            value = read_canonical(line[:-1])
        except CanonicalError as error:
            self.fault(number, error.message)
            return previous
        if not isinstance(value, dict) or set(value) != {"chain", "record"} or not is_link(value["chain"]):
            self.fault(number, "isn't a chain and a record")
            return previous
        if value["chain"] != link(previous, record_bytes(line[:-1])):
            self.fault(number, "was changed, or the line before it was changed, moved, added or taken away")
        self.record(number, value["record"])
        return str(value["chain"])

    def _compare(self, name: str, stated: FileFacts | None, seen: FileFacts) -> None:
        for fact in FileFacts.model_fields:
            if stated is not None and getattr(stated, fact) != getattr(seen, fact):
                said, is_ = getattr(stated, fact), getattr(seen, fact)
                self._found.add(name, None, f"the manifest says {fact} {said}, the file has {is_}")


class _EventsCheck(_LinesCheck):
    name = EVENTS_FILE

    def __init__(self, directory: Path, manifest: Manifest, found: Checked) -> None:
        super().__init__(directory, manifest, found)
        self._tally = EventTally()
        self._last = 0
        self._keys: set[bytes] = set()

    def record(self, number: int, record: Json) -> None:
        try:
            event = EventLine.model_validate(record)
        except ValidationError as error:
            self.fault(number, _first(error))
            return
        self._found.events += 1
        self._tally.add(event.number, event.kind)
        if event.number <= self._last:
            self.fault(number, f"event {event.number} stands behind event {self._last}")
        self._last = event.number
        digest = hashlib.sha256(event.key.encode()).digest()[:16]
        if digest in self._keys:
            self.fault(number, f"the key {event.key!r} stands twice")
        self._keys.add(digest)
        for message in event_faults(event):
            self.fault(number, message)
        if self._manifest.purpose == "archive" and event.expires_at > self._manifest.taken_at:
            self.fault(number, "was archived before it expired")

    def finish(self) -> None:
        if self._tally.facts() != self._manifest.events:
            self._found.add(MANIFEST_FILE, None, "events: the numbers or kinds aren't those of the file")


class _AttemptsCheck(_LinesCheck):
    name = ATTEMPTS_FILE

    def __init__(self, directory: Path, manifest: Manifest, found: Checked) -> None:
        super().__init__(directory, manifest, found)
        self._totals = AttemptTotals()
        self._last = ("", -1)

    def record(self, number: int, record: Json) -> None:
        try:
            attempt = AttemptLine.model_validate(record)
        except ValidationError as error:
            self.fault(number, _first(error))
            return
        self._found.attempts += 1
        key = (attempt.call_key, attempt.ordinal)
        if key == self._last:
            self.fault(number, f"attempt {key[1]} of call {key[0]!r} stands twice")
        elif key < self._last:
            self.fault(number, f"attempt {key[1]} of call {key[0]!r} stands too late")
        self._last = key
        for message in attempt_faults(attempt):
            self.fault(number, message)
        self._totals.add(attempt)

    def finish(self) -> None:
        stated = {(total.kind, total.key): total for total in self._manifest.totals or ()}
        seen = {(total.kind, total.key): total for total in self._totals.by_scope()}
        for scope in sorted(stated.keys() | seen.keys()):
            if stated.get(scope) != seen.get(scope):
                self._found.add(MANIFEST_FILE, None, f"totals of {' '.join(scope).rstrip()}: not those of the file")


def _first(error: ValidationError) -> str:
    """Where a record is wrong and why, without the value."""
    fault = error.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(str(part) for part in fault["loc"])
    return f"{place or 'record'}: {fault['msg']}"


def is_link(value: Json) -> bool:
    """Whether a value is written as a link of a chain is: 64 lower-case hexadecimal digits."""
    return isinstance(value, str) and re.fullmatch(r"[0-9a-f]{64}", value) is not None
