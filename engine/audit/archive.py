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


class NothingExpiredError(GlassbenchError):
    """No event has been kept for as long as it has to be."""

    code = "AUDIT-ARCHIVE-003"


@dataclass(frozen=True, kw_only=True, slots=True)
class Archived:
    """An archive, and whether the database let go of its events."""

    archive: Archive
    deleted: bool


def archive_expired(database: Database, target: Path, *, delete: bool) -> Archived:
    """Archives every expired event into a directory that doesn't exist yet.

    Killed at any moment it leaves the directory whole or not there, and an event that is gone from the database stands
    in a directory that is whole. Events that were archived and not deleted are archived again by the next one.
    """
    with fresh_directory(target) as directory:
        with snapshot(database) as taken:
            manifest = write_archive(directory, taken)
        events = manifest.events
        if events.first_number is None or events.last_number is None:
            raise NothingExpiredError("no audit event has expired", hint="operational ones do after 90 days")
        if faults := check_export(directory).faults:
            raise ArchiveFaultyError(
                f"the archive isn't what was read: {faults[0]}", hint="look at the disk, then run the command again"
            )
    facts = manifest.files[EVENTS_FILE]
    archive = Archive(
        sha256=facts.sha256, first_number=events.first_number, last_number=events.last_number, events=facts.lines
    )
    register_archive(database, archive, delete_events=_held(target) if delete else None)
    return Archived(archive=archive, deleted=delete)


def _held(directory: Path) -> Iterator[tuple[int, str]]:
    """Number and payload hash of each event in the file."""
    with (directory / EVENTS_FILE).open("rb") as file:
        for line in file:
            record = read_canonical(line[:-1])["record"]
            yield record["number"], record["payload_hash"]
