"""The runs that a batch promises, as rows: planned once, and planned again where one came out invalid."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection, exists, func, insert, literal, select, update
from sqlalchemy.sql import ColumnElement

from dataset.artifacts.definition import PlannedRun
from dataset.artifacts.revision import revision_id, split_revision
from dataset.record import BatchId
from dataset.store.driver import driver_of
from dataset.store.session import Database
from dataset.store.tables import artifact, batch, run

_COLUMNS = ("run_id", "batch_id", "position", "case_id", "variant_id", "repeat", "model_key")


def copy_runs(connection: Connection, batch_id: BatchId, runs: Iterable[PlannedRun]) -> None:
    """Writes a row for each run that a new batch promises."""
    with driver_of(connection).cursor() as cursor, cursor.copy(f"COPY run ({', '.join(_COLUMNS)}) FROM STDIN") as copy:
        for plan in runs:
            copy.write_row(
                (plan.run_id, batch_id, plan.position, plan.case_id, plan.variant_id, plan.repeat, plan.model_key)
            )


def standing() -> ColumnElement[bool]:
    """The condition on `run` that no later revision supersedes it."""
    later = run.alias("later")
    return ~exists().where(later.c.supersedes == run.c.run_id).correlate(run)


def missing(batch_id: BatchId) -> tuple[ColumnElement[bool], ...]:
    """The condition on `run` that it belongs to the batch and has no artifact."""
    return run.c.batch_id == batch_id, ~exists().where(artifact.c.run_id == run.c.run_id).correlate(run)


def plan_of(row: object) -> PlannedRun:
    """The planned run that a row of `run` describes."""
    return PlannedRun(**{name: getattr(row, name) for name in PlannedRun.__dataclass_fields__})


def missing_runs(database: Database, batch_id: BatchId) -> list[PlannedRun]:
    """The runs of a batch that have no artifact yet, by position."""
    statement = select(run).where(*missing(batch_id)).order_by(run.c.position, run.c.revision)
    with database.transaction() as connection:
        return [plan_of(row) for row in connection.execute(statement)]


def revise_invalid_runs(connection: Connection, batch_id: BatchId) -> int:
    """Plans one more revision of each run that stands and came out invalid; how many there are. The batch goes on."""
    statement = (
        select(run)
        .join(artifact)
        .where(run.c.batch_id == batch_id, artifact.c.verdict == "invalid", standing())
        .order_by(run.c.position)
    )
    rows = []
    for row in connection.execute(statement):
        planned, revision = split_revision(row.run_id)
        again = {name: getattr(row, name) for name in _COLUMNS}
        again |= {"run_id": revision_id(planned, revision + 1), "revision": revision + 1, "supersedes": row.run_id}
        rows.append(again)
    if rows:
        connection.execute(insert(run), rows)
        connection.execute(update(batch).where(batch.c.id == batch_id).values(finished_at=None))
    return len(rows)


def close_batch(connection: Connection, batch_id: BatchId) -> bool:
    """Marks a batch finished, by the database's clock, where no run of it is missing; whether that is new."""
    nothing_missing = ~exists().where(*missing(batch_id))
    statement = (
        update(batch)
        .where(batch.c.id == batch_id, batch.c.finished_at.is_(None), nothing_missing)
        .values(finished_at=func.clock_timestamp())
    )
    return connection.execute(statement).rowcount > 0


def has_ended(connection: Connection, batch_id: BatchId) -> bool:
    """Whether every run of the batch is recorded and it was marked finished."""
    ended = exists(literal(1)).where(batch.c.id == batch_id, batch.c.finished_at.is_not(None))
    return connection.execute(select(ended)).scalar_one()
