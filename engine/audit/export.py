"""Writing an export: a directory that appears whole, or not at all."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from dataset.canonical import Json, canonical_bytes
from dataset.errors import GlassbenchError
from dataset.private_file import sync_directory
from dataset.store.audit_export import Selection, Snapshot
from engine.audit.lines import (
    ATTEMPTS_FILE,
    EVENTS_FILE,
    FIRST_LINK,
    MANIFEST_FILE,
    AttemptLine,
    Choice,
    EventFacts,
    FileFacts,
    Manifest,
    line_bytes,
    link,
    moment,
)
from engine.audit.totals import AttemptTotals, EventTally


class ExportTargetError(GlassbenchError):
    """The directory to write to exists, or another export is writing it."""

    code = "EXPORT-TARGET-001"


@contextmanager
def fresh_directory(target: Path) -> Iterator[Path]:
    """A directory beside the target that becomes the target at the end of the block, and is gone on any error.

    What a killed export left there is cleared away first. ExportTargetError.
    """
    if os.path.lexists(target):
        raise ExportTargetError(f"{target} exists already", hint="name a directory that doesn't exist yet")
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f".{target.name}.partial")
    partial.mkdir(mode=0o700, exist_ok=True)
    descriptor = os.open(partial, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        _claim(descriptor, partial, target)
        try:
            yield partial
            os.fsync(descriptor)
            partial.rename(target)
            sync_directory(target.parent)
        except BaseException:
            shutil.rmtree(partial, ignore_errors=True)
            raise
    finally:
        os.close(descriptor)


def write_export(directory: Path, snapshot: Snapshot, selection: Selection) -> Manifest:
    """Writes the events and attempts of a snapshot; the attempts are left out where kinds of events are chosen."""
    events, files = _write_events(directory, snapshot.events(selection))
    totals = None
    if not selection.kinds:
        totals = AttemptTotals()
        files[ATTEMPTS_FILE] = _write_lines(directory / ATTEMPTS_FILE, _counted(snapshot.attempts(selection), totals))
    choice = Choice(
        since=moment(selection.since) if selection.since else None, kinds=selection.kinds, batch=selection.batch
    )
    manifest = Manifest(
        format="glassbench-ledger-export/1",
        purpose="export",
        taken_at=moment(snapshot.taken_at),
        selection=choice,
        files=files,
        events=events,
        totals=None if totals is None else totals.by_scope(),
    )
    _write_manifest(directory, manifest)
    return manifest


def write_archive(directory: Path, snapshot: Snapshot) -> Manifest:
    """Writes the events of a snapshot that have expired."""
    events, files = _write_events(directory, snapshot.expired_events())
    manifest = Manifest(
        format="glassbench-ledger-export/1",
        purpose="archive",
        taken_at=moment(snapshot.taken_at),
        selection=Choice(since=None, kinds=(), batch=None),
        files=files,
        events=events,
        totals=None,
    )
    _write_manifest(directory, manifest)
    return manifest


def _write_events(directory: Path, events: Iterable[Json]) -> tuple[EventFacts, dict[str, FileFacts]]:
    tally = EventTally()

    def tallied() -> Iterator[Json]:
        for event in events:
            tally.add(event["number"], event["kind"])
            yield event

    files = {EVENTS_FILE: _write_lines(directory / EVENTS_FILE, tallied())}
    return tally.facts(), files


def _counted(attempts: Iterable[Json], totals: AttemptTotals) -> Iterator[Json]:
    for attempt in attempts:
        totals.add(AttemptLine.model_validate(attempt))
        yield attempt


def _write_lines(path: Path, records: Iterable[Json]) -> FileFacts:
    digest, chain, lines, size = hashlib.sha256(), FIRST_LINK, 0, 0
    with _private(path) as file:
        for record in records:
            body = canonical_bytes(record)
            chain = link(chain, body)
            line = line_bytes(chain, body)
            digest.update(line)
            file.write(line)
            lines, size = lines + 1, size + len(line)
        file.flush()
        os.fsync(file.fileno())
    return FileFacts(lines=lines, bytes=size, sha256=digest.hexdigest(), chain=chain)


def _write_manifest(directory: Path, manifest: Manifest) -> None:
    with _private(directory / MANIFEST_FILE) as file:
        file.write(canonical_bytes(manifest.body()))
        file.flush()
        os.fsync(file.fileno())


def _private(path: Path) -> BinaryIO:
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb")


def _claim(descriptor: int, partial: Path, target: Path) -> None:
    """Takes the directory for this process and empties it; the system gives it back when the process dies."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise ExportTargetError(f"another export is writing {target}", hint="wait for it") from None
    try:
        own = os.path.samestat(os.fstat(descriptor), partial.lstat())
    except FileNotFoundError:
        own = False
    if not own or os.path.lexists(target):
        raise ExportTargetError(f"{target} exists already", hint="name a directory that doesn't exist yet")
    for left in partial.iterdir():
        left.unlink()
