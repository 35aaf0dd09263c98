"""How one batch stands, and the history of one run: slices, attempts, revisions. Reads only."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection, func, select

from dataset.record import BatchId, RunId
from dataset.store.batch_control import Control, Wish, control_of
from dataset.store.execution_tables import audit_event, batch_control, provider_attempt, slice_
from dataset.store.tables import artifact, batch, run


@dataclass(frozen=True, kw_only=True, slots=True)
class BatchFigures:
    """A batch besides its verdicts. `slices` and `attempts` by state; `last_errors` are codes of open
    slices that failed before.

    `superseded` are the runs that were planned again: as many as there are later revisions. `holders` are the workers
    whose leases still hold, and how many slices each has.
    """

    control: Control
    slices: Mapping[str, int]
    last_errors: Mapping[str, int]
    attempts: Mapping[str, int]
    superseded: frozenset[RunId]
    holders: Mapping[str, int]


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
        holders=lease_holders(connection).get(batch_id, {}),
    )


def lease_holders(connection: Connection) -> dict[BatchId, dict[str, int]]:
    """By batch, the workers whose leases still hold, and how many slices each has. Some of them may be dead."""
    statement = (
        select(slice_.c.batch_id, slice_.c.lease_owner, func.count())
        .where(slice_.c.state == "leased", slice_.c.lease_expires_at > func.clock_timestamp())
        .group_by(slice_.c.batch_id, slice_.c.lease_owner)
    )
    found: dict[BatchId, dict[str, int]] = {}
    for batch_id, owner, count in connection.execute(statement):
        found.setdefault(BatchId(batch_id), {})[owner] = count
    return found


def runs_to_try_again(connection: Connection) -> dict[BatchId, int]:
    """By batch, how many of its runs were planned again and aren't recorded yet."""
    statement = (
        select(run.c.batch_id, func.count())
        .select_from(run.outerjoin(artifact, artifact.c.run_id == run.c.run_id))
        .where(run.c.supersedes.is_not(None), artifact.c.run_id.is_(None))
        .group_by(run.c.batch_id)
    )
    return {BatchId(batch_id): count for batch_id, count in connection.execute(statement)}


def cancelled_by_owner(connection: Connection) -> frozenset[BatchId]:
    """The finished batches whose owner wanted them to end with what they had, as far back as the audit trail goes."""
    latest = (
        select(audit_event.c.subject, audit_event.c.kind, audit_event.c.payload)
        .distinct(audit_event.c.subject)
        .where(audit_event.c.kind.in_(("batch_cancelled", "runs_retried")))
        .order_by(audit_event.c.subject, audit_event.c.number.desc())
        .subquery()
    )
    statement = (
        select(batch.c.id, latest.c.payload)
        .join(latest, latest.c.subject == batch.c.id)
        .where(batch.c.finished_at.is_not(None), latest.c.kind == "batch_cancelled")
    )
    return frozenset(
        BatchId(batch_id)
        for batch_id, payload in connection.execute(statement)
        if json.loads(payload).get("reason") is None
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
