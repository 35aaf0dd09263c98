"""Runs in PostgreSQL: attempts, events step by step, and the one artifact each run leaves.

Provider calls are made at least once, records exactly once: `begin_attempt` hands out the fencing token, and a write
that carries an older one is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from sqlalchemy import Connection, insert, select, tuple_, update
from sqlalchemy.dialects.postgresql import insert as upsert

from dataset.artifacts.artifact import RunStatus, Verdict
from dataset.record import BatchId, RunId
from dataset.store.errors import StoreError
from dataset.store.session import Database
from dataset.store.tables import artifact, event, run

_ARTIFACTS_A_FETCH = 64


class UnknownRunError(StoreError):
    """A run id that isn't in the database."""

    code = "RUN-UNKNOWN-001"

    def __init__(self, run_id: str) -> None:
        super().__init__(
            f"unknown run {run_id}",
            hint="a run id is the batch id, a hyphen and the position; see `glassbench batch list`",
        )


class StaleAttemptError(StoreError):
    """A write of an attempt that a later one has replaced; nothing was written."""

    code = "RUN-STALE-001"

    def __init__(self, run_id: str, attempt: int, current: int | None = None) -> None:
        super().__init__(
            f"run {run_id}: attempt {attempt} was replaced by attempt {'another' if current is None else current}",
            hint="another process took the run over; its records stand",
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class EventRow:
    """An event to append: its number within the attempt, its kind, and its body as bytes."""

    seq: int
    kind: str
    body: bytes


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredEvent(EventRow):
    """An event as stored; `recorded_at` is the server's clock, in UTC."""

    attempt: int
    recorded_at: datetime


class StoredArtifact(NamedTuple):
    """An artifact as stored: its bytes, not verified, and the hash in the column beside them."""

    run_id: RunId
    artifact_hash: str
    data: bytes


def begin_attempt(database: Database, run_id: RunId) -> int:
    """The number of a new attempt (from 1), which every later write carries; UnknownRunError."""
    statement = update(run).where(run.c.run_id == run_id).values(attempt=run.c.attempt + 1).returning(run.c.attempt)
    with database.transaction() as connection:
        attempt: int | None = connection.execute(statement).scalar_one_or_none()
    if attempt is None:
        raise UnknownRunError(run_id)
    return attempt


def append_events(database: Database, run_id: RunId, attempt: int, events: Sequence[EventRow]) -> None:
    """Appends events to the current attempt, all or none; StaleAttemptError, UnknownRunError."""
    rows = [
        {"run_id": run_id, "attempt": attempt, "seq": new.seq, "kind": new.kind, "body": new.body} for new in events
    ]
    with database.transaction() as connection:
        _require_attempt(connection, run_id, attempt)
        if rows:
            connection.execute(insert(event), rows)


def events(
    database: Database, run_id: RunId, *, attempt: int | None = None, after: tuple[int, int] | None = None
) -> list[StoredEvent]:
    """Events of a run by (attempt, seq): of one attempt or all, those after a given (attempt, seq) or all.

    UnknownRunError.
    """
    statement = select(event).where(event.c.run_id == run_id).order_by(event.c.attempt, event.c.seq)
    if attempt is not None:
        statement = statement.where(event.c.attempt == attempt)
    if after is not None:
        statement = statement.where(tuple_(event.c.attempt, event.c.seq) > tuple_(*after))
    with database.transaction() as connection:
        _require_run(connection, run_id)
        rows = connection.execute(statement).all()
    return [
        StoredEvent(
            attempt=row.attempt,
            seq=row.seq,
            kind=row.kind,
            body=row.body,
            recorded_at=row.recorded_at.astimezone(UTC),
        )
        for row in rows
    ]


def record_artifact(
    database: Database,
    run_id: RunId,
    attempt: int,
    data: bytes,
    artifact_hash: str,
    verdict: Verdict,
    status: RunStatus,
) -> bool:
    """Stores the artifact of the current attempt, exactly once: False where the run has one already.

    StaleAttemptError, UnknownRunError.
    """
    row = {
        "run_id": run_id,
        "attempt": attempt,
        "artifact_hash": artifact_hash,
        "verdict": verdict,
        "status": status,
        "bytes": data,
    }
    statement = upsert(artifact).values(row).on_conflict_do_nothing().returning(artifact.c.run_id)
    with database.transaction() as connection:
        _require_attempt(connection, run_id, attempt)
        return connection.execute(statement).one_or_none() is not None


def artifact_bytes(database: Database, run_id: RunId) -> bytes | None:
    """The stored bytes of a run's artifact, not verified; None before there is one; UnknownRunError."""
    with database.transaction() as connection:
        found = connection.execute(select(artifact.c.bytes).where(artifact.c.run_id == run_id)).scalar_one_or_none()
        if found is None:
            _require_run(connection, run_id)
    return found


def answered_models(database: Database, batch_id: BatchId) -> set[str]:
    """The keys of the models that have at least one recorded run which no provider failed."""
    statement = (
        select(run.c.model_key)
        .join(artifact)
        .where(run.c.batch_id == batch_id, artifact.c.status != "provider_failed")
        .distinct()
    )
    with database.transaction() as connection:
        return set(connection.execute(statement).scalars())


def iterate_artifacts(database: Database, batch_id: BatchId) -> Iterator[StoredArtifact]:
    """Every artifact of a batch by position, as (run id, hash column, bytes), a few in memory at a time."""
    statement = (
        select(artifact.c.run_id, artifact.c.artifact_hash, artifact.c.bytes)
        .join(run)
        .where(run.c.batch_id == batch_id)
        .order_by(run.c.position, run.c.revision)
        .execution_options(yield_per=_ARTIFACTS_A_FETCH)
    )
    with database.transaction() as connection:
        for row in connection.execute(statement):
            yield StoredArtifact(RunId(row.run_id), row.artifact_hash, row.bytes)


def _require_attempt(connection: Connection, run_id: RunId, attempt: int) -> None:
    """Holds the run's row, so that no later attempt can begin before this transaction has ended."""
    statement = select(run.c.attempt).where(run.c.run_id == run_id).with_for_update(read=True)
    current = connection.execute(statement).scalar_one_or_none()
    if current is None:
        raise UnknownRunError(run_id)
    if current != attempt:
        raise StaleAttemptError(run_id, attempt, current)


def _require_run(connection: Connection, run_id: RunId) -> None:
    if connection.execute(select(run.c.run_id).where(run.c.run_id == run_id)).one_or_none() is None:
        raise UnknownRunError(run_id)
