"""Archiving what has expired: written, checked, registered; and only then, where it is asked for, deleted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dataset.canonical import read_canonical
from dataset.errors import GlassbenchError
from dataset.store.audit_export import Archive, register_archive, snapshot
from dataset.store.session import Database
from engine.audit.check import check_export
from engine.audit.export import fresh_directory, write_archive
from engine.audit.lines import EVENTS_FILE


class ArchiveFaultyError(GlassbenchError):
    """What was written isn't what was read: nothing was registered, nothing deleted."""

    code = "AUDIT-ARCHIVE-001"


class _NothingExpiredError(Exception):
    """No event has been kept for as long as it has to be; leaves the directory unwritten, and never this module."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Archived:
    """An archive, and whether the database let go of its events."""

    archive: Archive
    deleted: bool


def archive_expired(database: Database, target: Path, *, delete: bool) -> Archived | None:
    """Archives every expired event into a directory that doesn't exist yet; None, and no directory, where none has.

    Killed at any moment it leaves the directory whole or not there, and an event that is gone from the database stands
    in a directory that is whole. Events that were archived and not deleted are archived again by the next one.
    """
    try:
        archive = _written(database, target)
    except _NothingExpiredError:
        return None
    register_archive(database, archive, delete_events=_held(target) if delete else None)
    return Archived(archive=archive, deleted=delete)


def _written(database: Database, target: Path) -> Archive:
    """The archive, once the directory is whole and holds what was read."""
    with fresh_directory(target) as directory:
        with snapshot(database) as taken:
            manifest = write_archive(directory, taken)
        first, last = manifest.events.first_number, manifest.events.last_number
        if first is None or last is None:
            raise _NothingExpiredError
        if faults := check_export(directory).faults:
            raise ArchiveFaultyError(
                f"the archive isn't what was read: {faults[0]}", hint="look at the disk, then run the command again"
            )
    facts = manifest.files[EVENTS_FILE]
    return Archive(sha256=facts.sha256, first_number=first, last_number=last, events=facts.lines)


def _held(directory: Path) -> Iterator[tuple[int, str]]:
    """Number and payload hash of each event in the file."""
    with (directory / EVENTS_FILE).open("rb") as file:
        for line in file:
            record = read_canonical(line[:-1])["record"]
            yield record["number"], record["payload_hash"]
