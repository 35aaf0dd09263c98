"""The writes of a run in flight, for the journal: its attempt, its events, its artifact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self

import psycopg
from sqlalchemy import Connection

from dataset.artifacts.artifact import RunStatus, Verdict
from dataset.record import RunId
from dataset.store.leases import Lease
from dataset.store.runs import EventRow, StaleAttemptError

_EVENT_TYPES = ("text", "int4", "int4", "text", "bytea")


@dataclass(frozen=True, kw_only=True, slots=True)
class RunWrite:
    """What every write of a run carries: the lease, the run, the attempt."""

    lease: Lease
    run_id: RunId
    attempt: int

    @property
    def source(self) -> str:
        """One attempt of one run."""
        return f"{self.run_id}/{self.attempt}"


class BeginAttempt(RunWrite):
    """Makes `attempt` the current one of the run; StaleAttemptError unless it follows the one before."""

    @classmethod
    def execute(cls, connection: Connection, writes: Sequence[Self]) -> list[StaleAttemptError | None]:
        """None for each attempt that has begun."""
        begun = {
            row[0]
            for row in _driver(connection).execute(
                "UPDATE run SET attempt = new.attempt FROM unnest(%b::text[], %b::int4[]) AS new (run_id, attempt)"
                " WHERE run.run_id = new.run_id AND run.attempt = new.attempt - 1 RETURNING run.run_id",
                ([w.run_id for w in writes], [w.attempt for w in writes]),
            )
        }
        return [None if w.run_id in begun else StaleAttemptError(w.run_id, w.attempt) for w in writes]


@dataclass(frozen=True, kw_only=True, slots=True)
class AppendEvents(RunWrite):
    """Appends events to the attempt; the lease stands guard, and no event has two bodies."""

    events: tuple[EventRow, ...]

    @classmethod
    def execute(cls, connection: Connection, writes: Sequence[Self]) -> list[None]:
        """None for each: all are appended, or the group is lost."""
        statement = "COPY event (run_id, attempt, seq, kind, body) FROM STDIN (FORMAT BINARY)"
        with _driver(connection).cursor() as cursor, cursor.copy(statement) as copy:
            copy.set_types(_EVENT_TYPES)
            for write in writes:
                for event in write.events:
                    copy.write_row((write.run_id, write.attempt, event.seq, event.kind, event.body))
        return [None] * len(writes)


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordArtifact(RunWrite):
    """Stores the artifact of the current attempt, exactly once."""

    data: bytes = field(repr=False)
    artifact_hash: str
    verdict: Verdict
    status: RunStatus

    @classmethod
    def execute(cls, connection: Connection, writes: Sequence[Self]) -> list[bool | StaleAttemptError]:
        """True for each that is stored now, False where the run has an artifact; StaleAttemptError."""
        driver = _driver(connection)
        run_ids = [w.run_id for w in writes]
        current: dict[str, int] = dict(
            driver.execute(
                "SELECT run_id, attempt FROM run WHERE run_id = ANY(%b::text[]) ORDER BY run_id FOR SHARE", (run_ids,)
            ).fetchall()
        )
        stored = {
            row[0]
            for row in driver.execute(
                "INSERT INTO artifact (run_id, attempt, artifact_hash, verdict, status, bytes)"
                " SELECT new.* FROM unnest(%b::text[], %b::int4[], %b::text[], %b::text[], %b::text[], %b::bytea[])"
                " AS new (run_id, attempt, artifact_hash, verdict, status, bytes)"
                " JOIN run ON run.run_id = new.run_id AND run.attempt = new.attempt"
                " ON CONFLICT (run_id) DO NOTHING RETURNING run_id",
                (
                    run_ids,
                    [w.attempt for w in writes],
                    [w.artifact_hash for w in writes],
                    [w.verdict for w in writes],
                    [w.status for w in writes],
                    [w.data for w in writes],
                ),
            )
        }
        return [
            w.run_id in stored
            if current.get(w.run_id) == w.attempt
            else StaleAttemptError(w.run_id, w.attempt, current.get(w.run_id))
            for w in writes
        ]


def _driver(connection: Connection) -> psycopg.Connection:
    """The psycopg connection of the transaction: arrays and binary copies go to it directly."""
    driver = connection.connection.driver_connection
    assert isinstance(driver, psycopg.Connection)
    return driver
