"""The writes of a run in flight, for the journal: its attempt, its events, its artifact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol, Self

from sqlalchemy import Connection

from dataset.artifacts.artifact import RunStatus, Verdict
from dataset.record import RunId
from dataset.store.driver import driver_of, in_one_go
from dataset.store.leases import Lease
from dataset.store.runs import StaleAttemptError


class NewEvent(Protocol):
    """An event to append: its number within the attempt, its kind, and its body as bytes."""

    @property
    def seq(self) -> int: ...  # noqa: D102
    @property
    def kind(self) -> str: ...  # noqa: D102
    @property
    def body(self) -> bytes: ...  # noqa: D102


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
            for row in driver_of(connection).execute(
                "UPDATE run SET attempt = new.attempt FROM unnest(%b::text[], %b::int4[]) AS new (run_id, attempt)"
                " WHERE run.run_id = new.run_id AND run.attempt = new.attempt - 1 RETURNING run.run_id",
                ([w.run_id for w in writes], [w.attempt for w in writes]),
            )
        }
        return [None if w.run_id in begun else StaleAttemptError(w.run_id, w.attempt) for w in writes]


@dataclass(frozen=True, kw_only=True, slots=True)
class AppendEvents(RunWrite):
    """Appends events to the attempt; the lease stands guard, and no event has two bodies."""

    events: Sequence[NewEvent]

    @classmethod
    def execute(cls, connection: Connection, writes: Sequence[Self]) -> list[None]:
        """None for each: all are appended, or the group is lost."""
        rows = [(w.run_id, w.attempt, e.seq, e.kind, e.body) for w in writes for e in w.events]
        driver_of(connection).execute(
            "INSERT INTO event (run_id, attempt, seq, kind, body)"
            " SELECT * FROM unnest(%b::text[], %b::int4[], %b::int4[], %b::text[], %b::bytea[])",
            [list(column) for column in zip(*rows, strict=True)] if rows else [[]] * 5,
        )
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
        driver = driver_of(connection)
        run_ids = [w.run_id for w in writes]
        with in_one_go(driver):
            standing = driver.execute(
                "SELECT run_id, attempt FROM run WHERE run_id = ANY(%b::text[]) ORDER BY run_id FOR SHARE", (run_ids,)
            )
            inserted = driver.execute(
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
        current: dict[str, int] = dict(standing.fetchall())
        stored = {row[0] for row in inserted.fetchall()}
        return [
            w.run_id in stored
            if current.get(w.run_id) == w.attempt
            else StaleAttemptError(w.run_id, w.attempt, current.get(w.run_id))
            for w in writes
        ]
