"""The ledger to look at: its attempts, and what each scope has consumed."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import Connection, Row, Select, func, select, text

from dataset.store.attempt import AttemptRow, Scope, ScopeState, scopes_of
from dataset.store.execution_tables import SCOPE_KINDS, ledger_minute, ledger_scope, provider_attempt

_TIMES = ("minute", "reserved_at", "sent_at", "ended_at")


@dataclass(frozen=True, kw_only=True, slots=True)
class ScopeTotals:
    """What a scope has consumed, as kept. `overdrawn`: an attempt of it used more than it had reserved."""

    scope: Scope
    state: ScopeState
    overdrawn: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Spent:
    """What attempts of one role have cost in a currency; `unpriced` counts those whose cost isn't known."""

    role: str
    currency: str | None
    attempts: int
    cost: Decimal | None
    unpriced: int


@dataclass(frozen=True, kw_only=True, slots=True)
class OpenAttempt:
    """An attempt that hasn't ended; `age` in seconds by the database's clock."""

    attempt: AttemptRow
    age: float


def list_attempts(
    connection: Connection,
    *,
    batch_id: str | None = None,
    model_key: str | None = None,
    run_id: str | None = None,
    newest: int | None = None,
) -> list[AttemptRow]:
    """The attempts that match everything given, in the order they were reserved; only the newest so many, if said."""
    statement = _matching(select(provider_attempt), batch_id, model_key, run_id)
    order = (provider_attempt.c.reserved_at, provider_attempt.c.call_key, provider_attempt.c.ordinal)
    if newest is None:
        return [_attempt(row) for row in connection.execute(statement.order_by(*order))]
    last = statement.order_by(*(column.desc() for column in order)).limit(newest)
    return [_attempt(row) for row in connection.execute(last)][::-1]


def count_attempts(
    connection: Connection, *, batch_id: str | None = None, model_key: str | None = None, run_id: str | None = None
) -> int:
    """How many attempts match everything given."""
    statement = _matching(select(func.count()).select_from(provider_attempt), batch_id, model_key, run_id)
    return int(connection.execute(statement).scalar_one())


def open_attempts(connection: Connection) -> list[OpenAttempt]:
    """Every attempt that hasn't ended, the oldest first."""
    age = func.extract("epoch", func.statement_timestamp() - provider_attempt.c.reserved_at)
    statement = (
        select(provider_attempt, age.label("age"))
        .where(provider_attempt.c.ended_at.is_(None))
        .order_by(provider_attempt.c.reserved_at, provider_attempt.c.call_key)
    )
    return [OpenAttempt(attempt=_attempt(row), age=float(row.age)) for row in connection.execute(statement)]


def scope_totals(connection: Connection, scopes: Collection[Scope] | None = None) -> list[ScopeTotals]:
    """What scopes have consumed, all of them unless said which, by kind in locking order and key."""
    this_minute = func.date_trunc("minute", func.statement_timestamp(), text("'UTC'"))
    statement = select(
        ledger_scope,
        func.coalesce(ledger_minute.c.requests, 0).label("minute_requests"),
        func.coalesce(ledger_minute.c.tokens, 0).label("minute_tokens"),
    ).outerjoin(
        ledger_minute,
        (ledger_minute.c.kind == ledger_scope.c.kind)
        & (ledger_minute.c.key == ledger_scope.c.key)
        & (ledger_minute.c.minute == this_minute),
    )
    found = [_totals(row) for row in connection.execute(statement)]
    return sorted(
        (totals for totals in found if scopes is None or totals.scope in scopes),
        key=lambda totals: (SCOPE_KINDS.index(totals.scope.kind), totals.scope.key),
    )


def spent_by_role(
    connection: Connection, *, batch_id: str | None = None, model_key: str | None = None, run_id: str | None = None
) -> list[Spent]:
    """What candidates, judges and canaries have cost, apart, in each currency they are priced in."""
    c = provider_attempt.c
    columns = (
        c.role,
        c.currency,
        func.count().label("attempts"),
        func.sum(c.actual_cost).label("cost"),
        func.count().filter(c.actual_cost.is_(None)).label("unpriced"),
    )
    ended = _matching(select(*columns), batch_id, model_key, run_id).where(
        c.state.in_(("settled_actual", "settled_conservative"))
    )
    rows = connection.execute(ended.group_by(c.role, c.currency).order_by(c.role, c.currency))
    return [
        Spent(role=r.role, currency=r.currency, attempts=r.attempts, cost=r.cost, unpriced=r.unpriced) for r in rows
    ]


def touched_scopes(
    connection: Connection, *, batch_id: str | None = None, model_key: str | None = None, run_id: str | None = None
) -> set[Scope]:
    """Every scope in which an attempt that matches everything given is counted."""
    columns = (provider_attempt.c.provider, provider_attempt.c.model_key, provider_attempt.c.batch_id)
    rows = connection.execute(_matching(select(*columns).distinct(), batch_id, model_key, run_id))
    return {scope for row in rows for scope in scopes_of(*row)}


def _matching(statement: Select[Any], batch_id: str | None, model_key: str | None, run_id: str | None) -> Select[Any]:
    wanted = {"batch_id": batch_id, "model_key": model_key, "run_id": run_id}
    return statement.where(*(provider_attempt.c[name] == value for name, value in wanted.items() if value is not None))


def _attempt(row: Row[Any]) -> AttemptRow:
    values = {name: getattr(row, name) for name in AttemptRow.__slots__}
    times: dict[str, datetime | None] = {name: values[name] for name in _TIMES}
    return AttemptRow(**values | {name: when.astimezone(UTC) for name, when in times.items() if when is not None})


def _totals(row: Row[Any]) -> ScopeTotals:
    return ScopeTotals(
        scope=Scope(row.kind, row.key),
        state=ScopeState(**{name: getattr(row, name) for name in ScopeState.__slots__}),
        overdrawn=row.overdrawn,
    )
