"""Runs in PostgreSQL: the events of every attempt, step by step, and the one artifact each run leaves.

They are read here and written by `run_writes`.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from sqlalchemy import Connection, select, tuple_

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


def iterate_artifacts(database: Database, batch_id: BatchId) -> Generator[StoredArtifact, None, None]:
    """Every artifact of a batch by position, as (run id, hash column, bytes), a few in memory at a time."""
    statement = (
        select(artifact.c.run_id, artifact.c.artifact_hash, artifact.c.bytes)
        .join(run)
        .where(run.c.batch_id == batch_id)
        .order_by(run.c.position, run.c.revision)
        .execution_options(yield_per=_ARTIFACTS_A_FETCH)
    )
    with database.transaction() as connection, connection.execute(statement) as rows:
        for row in rows:
            yield StoredArtifact(RunId(row.run_id), row.artifact_hash, row.bytes)


def _require_run(connection: Connection, run_id: RunId) -> None:
    if connection.execute(select(run.c.run_id).where(run.c.run_id == run_id)).one_or_none() is None:
        raise UnknownRunError(run_id)
