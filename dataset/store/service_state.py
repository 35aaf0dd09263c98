"""How everything stands at one moment, read in one snapshot: what gauges show. Reads only; gives up when it is slow.

Rows are counted in PostgreSQL, and what is read row by row is capped, so that it costs the same however much is stored.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, case, func, select, text
from sqlalchemy.sql import ColumnElement

from dataset.store.attempt import Scope, ScopeState
from dataset.store.execution_tables import batch_control, ledger_scope, provider_attempt, slice_, worker
from dataset.store.ledger_drift import drift
from dataset.store.policies import active_policy
from dataset.store.session import Database
from dataset.store.tables import batch
from dataset.store.workers import LIVE_SECONDS

MOST_BATCHES = 200
"""Of so many unfinished batches, the least recently served, are the budgets looked at."""
GONE_SECONDS = 3600.0
"""A worker that has been silent for longer isn't stalled any more; it is gone."""
STATEMENT_SECONDS = 5
AGES: tuple[tuple[str, float], ...] = (("1m", 60), ("5m", 300), ("30m", 1800))
OLDEST_AGE = "older"
"""Open tries by age: up to each of these, and older than the last."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BatchBudget:
    """The terms of an unfinished batch, as stored."""

    batch_id: str
    terms: bytes
    terms_hash: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ServiceState:
    """One moment of the database. Batches and slices are those of unfinished batches; ages are seconds."""

    batches: Mapping[str, int]
    slices: Mapping[str, int]
    live_workers: int
    stalled_workers: int
    oldest_progress: float
    """Since the longest silent of the live workers last did something; 0 without any."""
    open_attempts: Mapping[tuple[str, str], int]
    """By state and age."""
    oldest_open: float
    unfinished: int
    active_policy: bytes | None
    budgets: Sequence[BatchBudget]
    scopes: Mapping[Scope, ScopeState]
    """The totals of every provider and model, and of the batches above."""
    providers: int


@contextmanager
def frozen_moment(database: Database, *, seconds: float = STATEMENT_SECONDS) -> Iterator[Connection]:
    """One snapshot, read only; a statement that takes longer than so many seconds ends it with StoreError."""
    with database.transaction() as connection:
        connection.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY"))
        limit = text("SELECT set_config('statement_timeout', :most, true)")
        connection.execute(limit, {"most": f"{round(seconds * 1000)}ms"})
        yield connection


def service_state(database: Database) -> ServiceState:
    """How everything stands; StoreError."""
    with frozen_moment(database) as connection:
        live, stalled, oldest_progress = _workers(connection)
        open_attempts, oldest_open = _open_attempts(connection)
        policy = active_policy(connection)
        budgets = _budgets(connection)
        scopes = _scopes(connection, [budget.batch_id for budget in budgets])
        return ServiceState(
            batches=_batches(connection),
            slices=_slices(connection),
            live_workers=live,
            stalled_workers=stalled,
            oldest_progress=oldest_progress,
            open_attempts=open_attempts,
            oldest_open=oldest_open,
            unfinished=connection.execute(select(func.count()).where(batch.c.finished_at.is_(None))).scalar_one(),
            active_policy=policy.content if policy else None,
            budgets=budgets,
            scopes=scopes,
            providers=sum(scope.kind == "provider" for scope in scopes),
        )


def ledger_is_sound(database: Database, *, seconds: float) -> bool:
    """Whether every total is what the attempts add up to; StoreError where that can't be worked out in time."""
    with frozen_moment(database, seconds=seconds) as connection:
        return not drift(connection)


def _batches(connection: Connection) -> dict[str, int]:
    statement = (
        select(batch_control.c.wish, func.count())
        .join(batch, batch.c.id == batch_control.c.batch_id)
        .where(batch.c.finished_at.is_(None))
        .group_by(batch_control.c.wish)
    )
    return {row[0]: row[1] for row in connection.execute(statement)}


def _slices(connection: Connection) -> dict[str, int]:
    statement = (
        select(slice_.c.state, func.count())
        .join(batch, batch.c.id == slice_.c.batch_id)
        .where(batch.c.finished_at.is_(None))
        .group_by(slice_.c.state)
    )
    return {row[0]: row[1] for row in connection.execute(statement)}


def _workers(connection: Connection) -> tuple[int, int, float]:
    silent = _seconds_since(worker.c.progress_at)
    live = silent <= LIVE_SECONDS
    row = connection.execute(
        select(
            func.count().filter(live),
            func.count().filter(~live & (silent <= GONE_SECONDS)),
            func.coalesce(func.max(silent).filter(live), 0),
        ).where(worker.c.stopped_at.is_(None))
    ).one()
    return row[0], row[1], max(0.0, float(row[2]))


def _open_attempts(connection: Connection) -> tuple[dict[tuple[str, str], int], float]:
    age = _seconds_since(provider_attempt.c.reserved_at)
    bucket = case(*((age <= most, name) for name, most in AGES), else_=OLDEST_AGE)
    statement = (
        select(provider_attempt.c.state, bucket.label("age"), func.count(), func.max(age))
        .where(provider_attempt.c.ended_at.is_(None))
        .group_by(provider_attempt.c.state, bucket)
    )
    rows = connection.execute(statement).all()
    oldest = max((float(row[3]) for row in rows), default=0.0)
    return {(row[0], row[1]): row[2] for row in rows}, max(0.0, oldest)


def _budgets(connection: Connection) -> list[BatchBudget]:
    statement = (
        select(batch.c.id, batch.c.terms, batch.c.terms_hash)
        .join(batch_control, batch.c.id == batch_control.c.batch_id)
        .where(batch.c.finished_at.is_(None), batch_control.c.wish.in_(("run", "pause")), batch.c.terms.is_not(None))
        .order_by(batch_control.c.served_at.asc().nulls_first(), batch.c.id)
        .limit(MOST_BATCHES)
    )
    return [
        BatchBudget(batch_id=row.id, terms=row.terms, terms_hash=row.terms_hash)
        for row in connection.execute(statement)
    ]


def _scopes(connection: Connection, batch_ids: Sequence[str]) -> dict[Scope, ScopeState]:
    names = ("active", "requests", "tokens", "reserved_tokens", "charge", "reserved_charge")
    wanted = ledger_scope.c.kind.in_(("global", "provider", "model")) | (
        (ledger_scope.c.kind == "batch") & ledger_scope.c.key.in_(batch_ids)
    )
    return {
        Scope(row.kind, row.key): ScopeState(**{name: getattr(row, name) for name in names})
        for row in connection.execute(select(ledger_scope).where(wanted))
    }


def _seconds_since(moment: ColumnElement[Any]) -> ColumnElement[Any]:
    return func.extract("epoch", func.statement_timestamp() - moment)
