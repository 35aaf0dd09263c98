"""Reading the audit trail and the attempt ledger out of one snapshot, and letting go of what an archive holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from itertools import islice
from typing import Any

from sqlalchemy import (
    BigInteger,
    Connection,
    CursorResult,
    Row,
    Select,
    Table,
    Text,
    delete,
    func,
    literal,
    select,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.dialects.postgresql import insert as upsert

from dataset.canonical import CanonicalError, Json, read_canonical, sha256_hex
from dataset.record import BatchId
from dataset.store.audit import AuditEvent, AuditKind, record_event
from dataset.store.errors import StoreError
from dataset.store.execution_tables import audit_archive, audit_event, provider_attempt
from dataset.store.session import Database

_PORTION = 1000
"""Rows that are held at once, whatever their number in all."""


class AuditDamagedError(StoreError):
    """An event isn't what was written."""

    code = "AUDIT-DAMAGED-001"


class ArchiveStaleError(StoreError):
    """The database no longer holds an archived event as the archive does."""

    code = "AUDIT-ARCHIVE-002"


@dataclass(frozen=True, kw_only=True, slots=True)
class Selection:
    """What is exported: everything, or what is younger, of a kind, of a batch. `since` has a time zone."""

    since: datetime | None = None
    kinds: tuple[AuditKind, ...] = ()
    batch: BatchId | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Archive:
    """A file of events: its sha256, the numbers of its first and last event, and how many it holds."""

    sha256: str
    first_number: int
    last_number: int
    events: int


class Snapshot:
    """One moment of the database, by its own clock; what is written meanwhile isn't seen."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._cursors: list[CursorResult[Any]] = []
        taken = connection.execute(select(func.transaction_timestamp())).scalar_one()
        self.taken_at: datetime = taken.astimezone(UTC)

    def events(self, selection: Selection) -> Iterator[Json]:
        """The events by number, each as a JSON value; AuditDamagedError at the first whose payload was changed."""
        statement = select(audit_event).order_by(audit_event.c.number)
        if selection.since is not None:
            statement = statement.where(audit_event.c.occurred_at >= selection.since)
        if selection.kinds:
            statement = statement.where(audit_event.c.kind.in_(selection.kinds))
        if selection.batch is not None:
            statement = statement.where(audit_event.c.subject == selection.batch)
        return map(_event, self._stream(statement))

    def expired_events(self) -> Iterator[Json]:
        """The events by number that have been kept for as long as they have to be."""
        expired = audit_event.c.expires_at <= func.transaction_timestamp()
        return map(_event, self._stream(select(audit_event).where(expired).order_by(audit_event.c.number)))

    def attempts(self, selection: Selection) -> Iterator[Json]:
        """The attempts by key, each as a JSON value with every column of the ledger."""
        columns = provider_attempt.c
        # In the order of code points, which a reader without this database's collation can check.
        statement = select(provider_attempt).order_by(columns.call_key.collate("C"), columns.ordinal)
        if selection.since is not None:
            statement = statement.where(columns.reserved_at >= selection.since)
        if selection.batch is not None:
            statement = statement.where(columns.batch_id == selection.batch)
        return (_values(row, provider_attempt) for row in self._stream(statement))

    def close(self) -> None:
        """Closes what is still being read."""
        for cursor in self._cursors:
            cursor.close()

    def _stream(self, statement: Select[Any]) -> Iterator[Row[Any]]:
        """The rows through a cursor on the server's side."""
        cursor = self._connection.execute(statement, execution_options={"yield_per": _PORTION})
        self._cursors.append(cursor)
        return iter(cursor)


@contextmanager
def snapshot(database: Database) -> Iterator[Snapshot]:
    """A snapshot for as long as the block lasts; it reads only."""
    with database.transaction() as connection:
        connection.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"))
        with closing(Snapshot(connection)) as taken:
            yield taken


def register_archive(database: Database, archive: Archive, *, delete_events: Iterable[tuple[int, str]] | None) -> None:
    """Registers an archive that is safely written and checked; the same one twice is registered once.

    `delete_events`, by number and payload hash, are those that it holds and that go now, in the same transaction: all
    of them or, with ArchiveStaleError, none. The database itself keeps what hasn't expired or isn't archived.
    """
    facts = {
        "sha256": archive.sha256,
        "first_number": archive.first_number,
        "last_number": archive.last_number,
        "events": archive.events,
    }
    with database.transaction() as connection:
        connection.execute(upsert(audit_archive).values(facts).on_conflict_do_nothing())
        record_event(connection, _archive_event("audit_archived", archive.sha256, facts))
        if delete_events is not None:
            remaining = iter(delete_events)
            while portion := list(islice(remaining, _PORTION)):
                _delete(connection, portion)
            record_event(connection, _archive_event("audit_deleted", archive.sha256, facts))


def _archive_event(kind: AuditKind, digest: str, facts: Json) -> AuditEvent:
    return AuditEvent(key=f"{kind}/{digest}", kind=kind, subject=digest, payload=facts, retention="security")


def _delete(connection: Connection, events: Sequence[tuple[int, str]]) -> None:
    numbers, hashes = zip(*events, strict=True)
    columns = (literal(list(numbers), ARRAY(BigInteger)), literal(list(hashes), ARRAY(Text)))
    archived = func.unnest(*columns).table_valued("number", "payload_hash").render_derived()
    statement = delete(audit_event).where(
        audit_event.c.number == archived.c.number, audit_event.c.payload_hash == archived.c.payload_hash
    )
    if connection.execute(statement).rowcount != len(events):
        raise ArchiveStaleError(
            f"events {numbers[0]} to {numbers[-1]}: the database doesn't hold all of them as the archive does; nothing "
            "was deleted",
            hint="another archive may have deleted them: run the command again with another directory",
        )


def _event(row: Row[Any]) -> Json:
    values = _values(row, audit_event)
    payload: bytes = row.payload
    try:
        values["payload"] = read_canonical(payload)
    except CanonicalError:
        intact = False
    else:
        intact = sha256_hex(payload) == row.payload_hash
    if not intact:
        raise AuditDamagedError(
            f"event {row.number} of the audit trail isn't what was written",
            hint="the row was changed behind Glassbench's back: restore the database",
        )
    values["key"] = values.pop("event_key")
    return values


def _values(row: Row[Any], table: Table) -> dict[str, Json]:
    return {str(column.name): _json(value) for column, value in zip(table.columns, row, strict=True)}


def _json(value: object) -> Json:
    if isinstance(value, datetime):
        return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    if isinstance(value, Decimal):
        return format(value.normalize() + 0, "f")
    return value
