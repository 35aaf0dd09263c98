"""Batches in PostgreSQL: the frozen definition, the terms it is run under, and every run it promises."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection, Row, func, insert, select, update

from dataset.artifacts.definition import BatchDefinition, planned_runs
from dataset.canonical import canonical_bytes, sha256_hex
from dataset.record import BatchId, reference
from dataset.store.audit import AuditEvent, record_event
from dataset.store.batch_definition import BatchHashError, stored_definition
from dataset.store.errors import StoreError
from dataset.store.execution_tables import batch_control
from dataset.store.planned import copy_runs, standing
from dataset.store.session import Database
from dataset.store.tables import artifact, batch, pack, run

_BACKLOG_LOCK = 0x676C6173735F626C
_Row = Row[tuple[object, ...]]


class UnknownBatchError(StoreError):
    """A batch id that isn't in the database."""

    code = "BATCH-UNKNOWN-001"

    def __init__(self, batch_id: str, known: Sequence[str]) -> None:
        close = difflib.get_close_matches(batch_id, known, n=3, cutoff=0.4)
        suggestion = f"; the closest are: {', '.join(close)}" if close else ""
        super().__init__(f"unknown batch {batch_id}{suggestion}", hint="see `glassbench batch list`")


class BatchExistsError(StoreError):
    """A batch id that is taken."""

    code = "BATCH-EXISTS-001"


@dataclass(frozen=True, kw_only=True, slots=True)
class BatchCounts:
    """Runs of a batch: promised, with an artifact, and by verdict; of a retried run the last revision counts."""

    planned: int
    recorded: int
    passed: int
    failed: int
    invalid: int


@dataclass(frozen=True, kw_only=True, slots=True)
class BatchRow:
    """A batch as stored, its definition's hash computed again; times are UTC."""

    id: BatchId
    definition: BatchDefinition
    definition_hash: str
    created_at: datetime
    finished_at: datetime | None
    counts: BatchCounts
    terms: bytes | None
    """The canonical bytes of what it is run under, their hash computed again; None for one of an older schema."""


@dataclass(frozen=True, kw_only=True, slots=True)
class UnreadableBatch:
    """A batch whose definition can't be read, with what is known of it all the same; times are UTC."""

    id: BatchId
    fault: BatchHashError
    created_at: datetime
    finished_at: datetime | None
    counts: BatchCounts


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredTerms:
    """What a batch is run under, as canonical bytes whose meaning is the engine's: frozen with it."""

    content: bytes
    hash: str
    backlog: int
    """The most batches that may be unfinished when one more is created."""


class BacklogFullError(StoreError):
    """Too many unfinished batches; nothing was created."""

    code = "BATCH-BACKLOG-001"


def create_batch(
    database: Database,
    batch_id: BatchId,
    definition: BatchDefinition,
    created_at: datetime,
    *,
    terms: StoredTerms | None = None,
) -> None:
    """Stores a definition, its terms and every run it promises, in one transaction. `created_at` has a time zone.

    BatchExistsError where the id is taken; StoreError (BATCH-PACK-001) where the pack was never imported;
    BacklogFullError, which leaves an audit event.
    """
    try:
        with database.transaction() as connection:
            _require_pack(connection, definition)
            taken = select(batch.c.id).where(batch.c.id == batch_id)
            if connection.execute(taken).one_or_none() is not None:
                raise BatchExistsError(f"batch {batch_id} exists already", hint="choose another id")
            if terms is not None:
                _require_room(connection, terms.backlog)
            row = {
                "id": batch_id,
                "pack_id": definition.pack.id,
                "pack_version": definition.pack.version,
                "definition": canonical_bytes(definition.body(), allow_floats=True),
                "definition_hash": definition.digest(),
                "created_at": created_at,
                "terms": terms.content if terms else None,
                "terms_hash": terms.hash if terms else None,
            }
            connection.execute(insert(batch), row)
            connection.execute(insert(batch_control), {"batch_id": batch_id})
            copy_runs(connection, batch_id, planned_runs(definition, batch_id))
            _admitted(connection, batch_id, terms)
    except BacklogFullError:
        with database.transaction() as connection:
            refused = AuditEvent(
                key=f"batch_refused/{batch_id}",
                kind="batch_refused",
                subject=batch_id,
                payload={"reason": BacklogFullError.code},
                retention="operational",
            )
            record_event(connection, refused)
        raise


def freeze_terms(database: Database, batch_id: BatchId, terms: StoredTerms) -> None:
    """Freezes the terms of a batch that has none yet, because an older schema created it; else changes nothing."""
    with database.transaction() as connection:
        connection.execute(
            update(batch)
            .where(batch.c.id == batch_id, batch.c.terms.is_(None))
            .values(terms=terms.content, terms_hash=terms.hash)
        )


def get_batch(database: Database, batch_id: BatchId) -> BatchRow:
    """One batch; UnknownBatchError names the closest ids, BatchHashError a definition that was changed."""
    with database.transaction() as connection:
        row = connection.execute(select(batch).where(batch.c.id == batch_id)).one_or_none()
        if row is None:
            raise _unknown(connection, batch_id)
        return _batch_row(row, _counts(connection, batch_id)[batch_id])


def list_batches(database: Database) -> list[BatchRow | UnreadableBatch]:
    """Every batch, the newest first; one that can't be read hides no other."""
    with database.transaction() as connection:
        rows = connection.execute(select(batch).order_by(batch.c.created_at.desc(), batch.c.id)).all()
        counts = _counts(connection)
    return [_listed(row, counts[row.id]) for row in rows]


def batch_counts(database: Database, batch_id: BatchId) -> BatchCounts:
    """How far a batch is; UnknownBatchError."""
    with database.transaction() as connection:
        counts = _counts(connection, batch_id)
        if batch_id not in counts:
            raise _unknown(connection, batch_id)
    return counts[batch_id]


def _require_pack(connection: Connection, definition: BatchDefinition) -> None:
    wanted = definition.pack
    statement = select(pack.c.hash).where(pack.c.id == wanted.id, pack.c.version == wanted.version)
    held = connection.execute(statement).scalar_one_or_none()
    if held != wanted.hash:
        reason = "was never imported" if held is None else f"was imported with hash {held}, not {wanted.hash}"
        raise StoreError(
            f"pack {reference(wanted.id, wanted.version)} {reason}",
            code="BATCH-PACK-001",
            hint="import it with `glassbench pack import DIR`",
        )


def _require_room(connection: Connection, backlog: int) -> None:
    """Two batches created at once are counted one after the other."""
    connection.execute(select(func.pg_advisory_xact_lock(_BACKLOG_LOCK)))
    unfinished = connection.execute(select(func.count()).where(batch.c.finished_at.is_(None))).scalar_one()
    if unfinished >= backlog:
        raise BacklogFullError(
            f"{unfinished} batches are unfinished, and the policy allows {backlog}",
            hint="finish or cancel some (`glassbench batch list`), or apply a policy with a greater backlog",
        )


def _admitted(connection: Connection, batch_id: BatchId, terms: StoredTerms | None) -> None:
    record_event(
        connection,
        AuditEvent(
            key=f"batch_admitted/{batch_id}",
            kind="batch_admitted",
            subject=batch_id,
            payload={"terms": terms.hash if terms else None},
            retention="operational",
        ),
    )


def _counts(connection: Connection, batch_id: BatchId | None = None) -> dict[BatchId, BatchCounts]:
    statement = (
        select(
            run.c.batch_id,
            func.count().label("planned"),
            func.count(artifact.c.run_id).label("recorded"),
            func.count().filter(artifact.c.verdict == "pass").label("passed"),
            func.count().filter(artifact.c.verdict == "fail").label("failed"),
            func.count().filter(artifact.c.verdict == "invalid").label("invalid"),
        )
        .select_from(run.outerjoin(artifact))
        .where(standing())
        .group_by(run.c.batch_id)
    )
    if batch_id is not None:
        statement = statement.where(run.c.batch_id == batch_id)
    return {
        BatchId(row.batch_id): BatchCounts(
            planned=row.planned, recorded=row.recorded, passed=row.passed, failed=row.failed, invalid=row.invalid
        )
        for row in connection.execute(statement)
    }


def _batch_row(row: _Row, counts: BatchCounts) -> BatchRow:
    return BatchRow(
        id=BatchId(row.id),
        definition=stored_definition(row.id, row.definition, row.definition_hash),
        definition_hash=row.definition_hash,
        created_at=row.created_at.astimezone(UTC),
        finished_at=row.finished_at.astimezone(UTC) if row.finished_at else None,
        counts=counts,
        terms=_checked_terms(row),
    )


def _checked_terms(row: _Row) -> bytes | None:
    terms: bytes | None = row.terms
    if terms is not None and sha256_hex(terms) != row.terms_hash:
        raise BatchHashError(
            f"batch {row.id}: its terms don't have the hash that is recorded",
            hint="the row was changed behind Glassbench's back: restore the database",
        )
    return terms


def _listed(row: _Row, counts: BatchCounts) -> BatchRow | UnreadableBatch:
    try:
        return _batch_row(row, counts)
    except BatchHashError as error:
        return UnreadableBatch(
            id=BatchId(row.id),
            fault=error,
            created_at=row.created_at.astimezone(UTC),
            finished_at=row.finished_at.astimezone(UTC) if row.finished_at else None,
            counts=counts,
        )


def _unknown(connection: Connection, batch_id: BatchId) -> UnknownBatchError:
    return UnknownBatchError(batch_id, list(connection.execute(select(batch.c.id)).scalars()))
