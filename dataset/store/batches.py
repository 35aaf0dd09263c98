"""Batches in PostgreSQL: the frozen definition, every run it promises, and who is working on it."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import psycopg
from sqlalchemy import Connection, Row, exists, func, insert, select, update

from dataset.artifacts.definition import BatchDefinition, PlannedRun, planned_runs
from dataset.canonical import canonical_bytes
from dataset.record import BatchId, CaseId, RunId, VariantId, reference
from dataset.store.batch_definition import BatchHashError, stored_definition
from dataset.store.errors import StoreError
from dataset.store.session import Database
from dataset.store.tables import artifact, batch, pack, run

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


class BatchIncompleteError(StoreError):
    """A batch can't be finished while a planned run has no artifact."""

    code = "BATCH-INCOMPLETE-001"


@dataclass(frozen=True, kw_only=True, slots=True)
class BatchCounts:
    """Runs of a batch: promised, with an artifact, and by verdict."""

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


@dataclass(frozen=True, kw_only=True, slots=True)
class UnreadableBatch:
    """A batch whose definition can't be read, with what is known of it all the same; times are UTC."""

    id: BatchId
    fault: BatchHashError
    created_at: datetime
    finished_at: datetime | None
    counts: BatchCounts


def create_batch(database: Database, batch_id: BatchId, definition: BatchDefinition, created_at: datetime) -> None:
    """Stores a definition and every run it promises, in one transaction. `created_at` has a time zone.

    BatchExistsError where the id is taken; StoreError (BATCH-PACK-001) where the pack was never imported.
    """
    with database.transaction() as connection:
        _require_pack(connection, definition)
        taken = select(batch.c.id).where(batch.c.id == batch_id)
        if connection.execute(taken).one_or_none() is not None:
            raise BatchExistsError(f"batch {batch_id} exists already", hint="choose another id")
        connection.execute(
            insert(batch),
            {
                "id": batch_id,
                "pack_id": definition.pack.id,
                "pack_version": definition.pack.version,
                "definition": canonical_bytes(definition.body(), allow_floats=True),
                "definition_hash": definition.digest(),
                "created_at": created_at,
            },
        )
        _copy_runs(connection, batch_id, planned_runs(definition, batch_id))


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


def missing_runs(database: Database, batch_id: BatchId) -> list[PlannedRun]:
    """The planned runs that have no artifact yet, by position; UnknownBatchError."""
    statement = (
        select(run)
        .where(run.c.batch_id == batch_id, ~exists().where(artifact.c.run_id == run.c.run_id))
        .order_by(run.c.position)
    )
    with database.transaction() as connection:
        _require_batch(connection, batch_id)
        rows = connection.execute(statement).all()
    return [
        PlannedRun(
            run_id=RunId(row.run_id),
            position=row.position,
            case_id=CaseId(row.case_id),
            variant_id=VariantId(row.variant_id),
            repeat=row.repeat,
            model_key=row.model_key,
        )
        for row in rows
    ]


def finish_batch(database: Database, batch_id: BatchId, finished_at: datetime) -> None:
    """Marks a batch finished; the first time counts. BatchIncompleteError while any planned run has no artifact."""
    missing = exists().where(
        run.c.batch_id == batch_id, ~exists().where(artifact.c.run_id == run.c.run_id).correlate(run)
    )
    statement = (
        update(batch)
        .where(batch.c.id == batch_id, ~missing)
        .values(finished_at=func.coalesce(batch.c.finished_at, finished_at))
    )
    with database.transaction() as connection:
        if connection.execute(statement).rowcount:
            return
        _require_batch(connection, batch_id)
        counts = _counts(connection, batch_id)[batch_id]
    raise BatchIncompleteError(
        f"batch {batch_id}: {counts.planned - counts.recorded} of {counts.planned} runs have no artifact",
        hint=f"finish them with `glassbench batch run {batch_id}`",
    )


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


def _copy_runs(connection: Connection, batch_id: BatchId, runs: Iterator[PlannedRun]) -> None:
    driver = connection.connection.driver_connection
    assert isinstance(driver, psycopg.Connection)
    columns = "run_id, batch_id, position, case_id, variant_id, repeat, model_key"
    with driver.cursor() as cursor, cursor.copy(f"COPY run ({columns}) FROM STDIN") as copy:
        for planned in runs:
            copy.write_row(
                (
                    planned.run_id,
                    batch_id,
                    planned.position,
                    planned.case_id,
                    planned.variant_id,
                    planned.repeat,
                    planned.model_key,
                )
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
    )


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


def _require_batch(connection: Connection, batch_id: BatchId) -> None:
    if connection.execute(select(batch.c.id).where(batch.c.id == batch_id)).one_or_none() is None:
        raise _unknown(connection, batch_id)


def _unknown(connection: Connection, batch_id: BatchId) -> UnknownBatchError:
    return UnknownBatchError(batch_id, list(connection.execute(select(batch.c.id)).scalars()))
