"""Runs recorded without a worker: attempts, events and artifacts through the writes that a journal executes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import text

from dataset.artifacts.artifact import RunStatus, Verdict
from dataset.canonical import sha256_hex
from dataset.errors import GlassbenchError
from dataset.record import BatchId, RunId
from dataset.store.leases import Lease
from dataset.store.run_writes import AppendEvents, BeginAttempt, RecordArtifact
from dataset.store.runs import EventRow
from dataset.store.session import Database

NO_LEASE = Lease(batch_id=BatchId("b1"), number=1, token=0)
"""A write executed by itself asks for no lease: that is the journal's to do."""


def execute(database: Database, *writes: Any) -> list[Any]:
    """What came of writes of one kind in a transaction of their own: results, and the errors of those refused."""
    with database.transaction() as connection:
        return list(type(writes[0]).execute(connection, writes))


def begin_attempt(database: Database, run_id: RunId) -> int:
    """The number of a new attempt at a run, which is then its current one."""
    with database.transaction() as connection:
        found = connection.execute(text("SELECT attempt FROM run WHERE run_id = :run_id"), {"run_id": run_id})
        attempt: int = found.scalar_one() + 1
    raise_first(execute(database, BeginAttempt(lease=NO_LEASE, run_id=run_id, attempt=attempt)))
    return attempt


def append_events(database: Database, run_id: RunId, attempt: int, events: Sequence[EventRow]) -> None:
    """Appends events to an attempt."""
    execute(database, AppendEvents(lease=NO_LEASE, run_id=run_id, attempt=attempt, events=tuple(events)))


def artifact_write(
    run_id: RunId,
    attempt: int,
    data: bytes = b"{}",
    *,
    lease: Lease = NO_LEASE,
    artifact_hash: str | None = None,
    verdict: Verdict = "pass",
    status: RunStatus = "completed",
) -> RecordArtifact:
    """The write of an artifact, by default a passed run's of two bytes."""
    return RecordArtifact(
        lease=lease,
        run_id=run_id,
        attempt=attempt,
        data=data,
        artifact_hash=artifact_hash or sha256_hex(data),
        verdict=verdict,
        status=status,
    )


def record_artifact(database: Database, run_id: RunId, data: bytes = b"{}", **facts: Any) -> bool:
    """Records a run in an attempt of its own; whether it had no artifact before."""
    recorded: bool
    [recorded] = raise_first(execute(database, artifact_write(run_id, begin_attempt(database, run_id), data, **facts)))
    return recorded


def raise_first(results: list[Any]) -> list[Any]:
    """The results, where none is an error."""
    for result in results:
        if isinstance(result, GlassbenchError):
            raise result
    return results
