"""Workers in PostgreSQL: one row a process, which moves only when the process has really done something."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import func, insert, select, update

from dataset.record import BatchId
from dataset.store.batch_control import Wish
from dataset.store.execution_tables import batch_control, worker
from dataset.store.leases import Lease, renew_within
from dataset.store.session import Database

LIVE_SECONDS = 60.0
"""A worker whose last progress is older than this is stalled or gone. An idle one progresses by looking for work."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Progress:
    """What a worker has done since it last said so."""

    runs_recorded: int = 0
    slices_served: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkerRow:
    """A worker as it stands; times are UTC by the database's clock."""

    generation: str
    name: str
    started_at: datetime
    progress_at: datetime
    stopped_at: datetime | None
    runs_recorded: int
    slices_served: int
    live: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Beat:
    """What a heartbeat brings back: the leases that hold, what is wanted of their batches, and the database's time."""

    held: frozenset[Lease]
    wishes: dict[BatchId, tuple[Wish, str | None]]
    now: datetime


def register_worker(database: Database, generation: str, name: str) -> None:
    """A new worker process."""
    with database.transaction() as connection:
        connection.execute(insert(worker), {"generation": generation, "name": name})


def end_worker(database: Database, generation: str) -> None:
    """A worker that has ended in order."""
    with database.transaction() as connection:
        connection.execute(
            update(worker).where(worker.c.generation == generation).values(stopped_at=func.clock_timestamp())
        )


def beat(
    database: Database,
    generation: str,
    leases: Collection[Lease],
    progress: Progress | None,
    *,
    lease_seconds: float | None,
) -> Beat:
    """Renews leases for so many seconds (None: not now), tells progress where there was any, and asks what is wanted of
    the leases' batches."""
    batch_ids = {lease.batch_id for lease in leases}
    with database.transaction() as connection:
        held = frozenset(leases) if lease_seconds is None else renew_within(connection, leases, lease_seconds)
        if progress is not None:
            connection.execute(
                update(worker)
                .where(worker.c.generation == generation)
                .values(
                    progress_at=func.clock_timestamp(),
                    runs_recorded=worker.c.runs_recorded + progress.runs_recorded,
                    slices_served=worker.c.slices_served + progress.slices_served,
                )
            )
        control = select(batch_control.c.batch_id, batch_control.c.wish, batch_control.c.reason)
        rows = connection.execute(control.where(batch_control.c.batch_id.in_(batch_ids))).all()
        now: datetime = connection.execute(select(func.clock_timestamp())).scalar_one()
    return Beat(
        held=held,
        wishes={BatchId(row.batch_id): (row.wish, row.reason) for row in rows},
        now=now.astimezone(UTC),
    )


def list_workers(database: Database) -> list[WorkerRow]:
    """Every worker that hasn't ended in order, and those that ended within a day, the newest first."""
    now = func.clock_timestamp()
    live = (worker.c.stopped_at.is_(None)) & (
        worker.c.progress_at > now - func.make_interval(0, 0, 0, 0, 0, 0, LIVE_SECONDS)
    )
    recent = worker.c.stopped_at.is_(None) | (worker.c.stopped_at > now - func.make_interval(0, 0, 0, 1))
    statement = select(worker, live.label("live")).where(recent).order_by(worker.c.started_at.desc())
    with database.transaction() as connection:
        rows = connection.execute(statement).all()
    return [
        WorkerRow(
            generation=row.generation,
            name=row.name,
            started_at=row.started_at.astimezone(UTC),
            progress_at=row.progress_at.astimezone(UTC),
            stopped_at=None if row.stopped_at is None else row.stopped_at.astimezone(UTC),
            runs_recorded=row.runs_recorded,
            slices_served=row.slices_served,
            live=row.live,
        )
        for row in rows
    ]
