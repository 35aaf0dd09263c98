"""How one batch stands, and the history of one run: slices, attempts, revisions. Reads only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection, func, select

from dataset.record import BatchId, RunId
from dataset.store.batch_control import Control, Wish, control_of
from dataset.store.execution_tables import batch_control, provider_attempt, slice_
from dataset.store.tables import artifact, batch, run


@dataclass(frozen=True, kw_only=True, slots=True)
class BatchFigures:
    """A batch besides its verdicts. `slices` and `attempts` by state; `last_errors` are codes of open
    slices that failed before.

    `superseded` are the runs that were planned again: as many as there are later revisions.
    """

    control: Control
    slices: Mapping[str, int]
    last_errors: Mapping[str, int]
    attempts: Mapping[str, int]
    superseded: frozenset[RunId]


@dataclass(frozen=True, kw_only=True, slots=True)
class Revision:
    """A run of a chain, each of which supersedes the one before; verdict None before it is recorded."""

    run_id: RunId
    revision: int
    verdict: str | None
    recorded_at: datetime | None


def batch_figures(connection: Connection, batch_id: BatchId) -> BatchFigures:
    """How a batch that exists stands."""
    later = select(run.c.supersedes).where(run.c.batch_id == batch_id, run.c.supersedes.is_not(None))
    superseded = [RunId(run_id) for run_id in connection.execute(later).scalars()]
    attempts = (
        select(provider_attempt.c.state, func.count())
        .where(provider_attempt.c.batch_id == batch_id)
        .group_by(provider_attempt.c.state)
    )
    slices = select(slice_.c.state, func.count()).where(slice_.c.batch_id == batch_id).group_by(slice_.c.state)
    errors = (
        select(slice_.c.last_error, func.count())
        .where(slice_.c.batch_id == batch_id, slice_.c.last_error.is_not(None), slice_.c.state == "open")
        .group_by(slice_.c.last_error)
    )
    return BatchFigures(
        control=control_of(connection, batch_id),
        slices={row[0]: row[1] for row in connection.execute(slices)},
        last_errors={row[0]: row[1] for row in connection.execute(errors)},
        attempts={row[0]: row[1] for row in connection.execute(attempts)},
        superseded=frozenset(superseded),
    )


def wishes(connection: Connection) -> dict[BatchId, tuple[Wish, str | None]]:
    """What is wanted of each unfinished batch, and the code of the rule that wants it."""
    statement = (
        select(batch_control.c.batch_id, batch_control.c.wish, batch_control.c.reason)
        .join(batch, batch.c.id == batch_control.c.batch_id)
        .where(batch.c.finished_at.is_(None))
    )
    return {BatchId(row.batch_id): (row.wish, row.reason) for row in connection.execute(statement)}


def revisions(connection: Connection, run_id: RunId) -> Sequence[Revision]:
    """The chain that a run belongs to, the first planned run first; empty for a run that isn't there."""
    own = select(run.c.batch_id, run.c.position).where(run.c.run_id == run_id).subquery()
    statement = (
        select(run.c.run_id, run.c.revision, artifact.c.verdict, artifact.c.recorded_at)
        .select_from(run.outerjoin(artifact, artifact.c.run_id == run.c.run_id))
        .join(own, (own.c.batch_id == run.c.batch_id) & (own.c.position == run.c.position))
        .order_by(run.c.revision)
    )
    return [
        Revision(
            run_id=RunId(row.run_id),
            revision=row.revision,
            verdict=row.verdict,
            recorded_at=None if row.recorded_at is None else row.recorded_at.astimezone(UTC),
        )
        for row in connection.execute(statement)
    ]
