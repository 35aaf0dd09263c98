"""What is wanted of a batch: to run, to rest, to pause, to end; and who may say so."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from sqlalchemy import Connection, func, select, update

from dataset.record import BatchId
from dataset.store.execution_tables import batch_control
from dataset.store.tables import batch

Wish = Literal["rest", "run", "pause", "cancel"]
"""`rest`: nobody has started it, or it has ended. `cancel`: what is missing is recorded as given up."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Control:
    """The standing wish; `reason` is the stable code of the rule that made it, None where it was the owner."""

    wish: Wish
    reason: str | None
    detail: str | None
    changed_at: datetime
    served_at: datetime | None


def control_of(connection: Connection, batch_id: BatchId, *, lock: bool = False) -> Control:
    """What is wanted of a batch that exists; with `lock`, until the transaction ends."""
    statement = select(batch_control).where(batch_control.c.batch_id == batch_id)
    row = connection.execute(statement.with_for_update() if lock else statement).one()
    return Control(
        wish=row.wish,
        reason=row.reason,
        detail=row.detail,
        changed_at=row.changed_at.astimezone(UTC),
        served_at=None if row.served_at is None else row.served_at.astimezone(UTC),
    )


def set_wish(
    connection: Connection, batch_id: BatchId, wish: Wish, *, reason: str | None = None, detail: str | None = None
) -> None:
    """Replaces the wish of a batch that exists."""
    connection.execute(
        update(batch_control)
        .where(batch_control.c.batch_id == batch_id)
        .values(wish=wish, reason=reason, detail=detail, changed_at=func.clock_timestamp())
    )


def active_batches(connection: Connection) -> list[BatchId]:
    """The batches that somebody should be working on, the least recently served first."""
    statement = (
        select(batch_control.c.batch_id)
        .join(batch, batch.c.id == batch_control.c.batch_id)
        .where(batch_control.c.wish.in_(("run", "cancel")), batch.c.finished_at.is_(None))
        .order_by(batch_control.c.served_at.asc().nulls_first(), batch_control.c.batch_id)
    )
    return [BatchId(batch_id) for batch_id in connection.execute(statement).scalars()]
