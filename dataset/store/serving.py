"""How workers serve batches: slices taken and given back, what dead workers left, a ledger that can't be trusted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import Connection, func, select

from dataset.record import BatchId
from dataset.store.audit import AuditEvent, record_event
from dataset.store.batch_control import Control, active_batches, control_of
from dataset.store.leases import (
    Claim,
    Lease,
    LeasedRun,
    claim,
    give_back,
    lease_owners,
    runs_of,
    slice_states,
    take_away_expired,
    tokens_left_behind,
)
from dataset.store.ledger import reconcile
from dataset.store.ledger_drift import LedgerDriftError, require_sound
from dataset.store.lifecycle import LANES, end_if_complete, pause_batch, top_up_tickets
from dataset.store.queue import add_tickets, remove_orphans
from dataset.store.session import Database

LONGEST_CALL = timedelta(hours=3)
"""A try without a lease (a canary's) that is still open after this has nobody behind it: no call may take so long."""
HANDED_ON_SECONDS = 2.0
"""How long a ticket rests that this process can do nothing with, so that it isn't back at once."""
FORGOTTEN_SECONDS = 60.0
"""A try that is open so long under a lease that is over has no end on its way any more."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Work:
    """A leased slice with its missing runs, and what is wanted of its batch."""

    claim: Claim
    runs: Sequence[LeasedRun]
    control: Control


@dataclass(frozen=True, kw_only=True, slots=True)
class Swept:
    """What a sweep put in order: leases taken away, and the tries they left open."""

    expired: int
    released: int
    settled: int


def take_slice(database: Database, batch_id: BatchId, owner: str, *, lease_seconds: float) -> Work | None:
    """A lease of so many seconds on the batch's next slice with its missing runs; None where none may be had now."""
    with database.transaction() as connection:
        claimed = claim(connection, batch_id, owner, lease_seconds)
        if claimed is None:
            return None
        return Work(claim=claimed, runs=runs_of(connection, claimed.lease), control=control_of(connection, batch_id))


def hand_on(database: Database, batch_id: BatchId) -> bool:
    """Leaves a ticket to workers that can open the batch; True where it is being cancelled, which anyone can do."""
    with database.transaction() as connection:
        wish = control_of(connection, batch_id).wish
        if wish == "run":
            add_tickets(connection, batch_id, in_seconds=HANDED_ON_SECONDS)
    return wish == "cancel"


def return_slice(
    database: Database, lease: Lease, *, failure: str | None = None, progressed: bool = False, gave_up: bool = False
) -> bool:
    """Ends a lease and puts the batch at the end of the queue where more is to do; whether the batch has now ended."""
    with database.transaction() as connection:
        wish = control_of(connection, lease.batch_id, lock=True).wish
        state = give_back(connection, lease, failure=failure, progressed=progressed, gave_up=gave_up)
        if state is None:
            return False
        if gave_up and state == "dead":
            dead = AuditEvent(
                key=f"slice_dead/{lease.batch_id}/{lease.number}/{lease.token}",
                kind="slice_dead",
                subject=lease.batch_id,
                payload={"slice": lease.number},
                retention="operational",
            )
            record_event(connection, dead)
        if wish in ("run", "cancel") and failure is None and slice_states(connection, lease.batch_id).get("open"):
            add_tickets(connection, lease.batch_id)
        return end_if_complete(connection, lease.batch_id)


def sweep(database: Database, is_dead: Callable[[str], bool] = lambda owner: False) -> Swept:
    """Puts in order what dead workers left (leases, open tries, orphaned tickets) and wakes workers for due slices.

    `is_dead` says of a lease's owner whether it is gone for certain, however long its lease would hold.
    """
    with database.transaction() as connection:
        expired = take_away_expired(connection, [owner for owner in lease_owners(connection) if is_dead(owner)])
        over = [found.lease.token for found in expired] + tokens_left_behind(connection, FORGOTTEN_SECONDS)
        done = reconcile(connection, over, unleased_for=LONGEST_CALL)
        for found in expired:
            _taken_over(connection, found.lease, found.owner)
        if done.released or done.settled:
            _reconciled(connection, len(done.released), len(done.settled))
        remove_orphans(connection)
        active = active_batches(connection)
    for batch_id in active:
        with database.transaction() as connection:
            control_of(connection, batch_id, lock=True)
            top_up_tickets(connection, batch_id, LANES)
            end_if_complete(connection, batch_id)
    return Swept(expired=len(expired), released=len(done.released), settled=len(done.settled))


def stop_on_drift(database: Database) -> LedgerDriftError | None:
    """Recomputes the ledger's totals; where one is wrong, every running batch is paused, and the error is returned."""
    with database.transaction() as connection:
        try:
            require_sound(connection)
        except LedgerDriftError as error:
            fault = error
        else:
            return None
        batches = active_batches(connection)
        now = connection.execute(select(func.clock_timestamp())).scalar_one()
        drifted = AuditEvent(
            key=f"ledger_drift/{now.isoformat()}",
            kind="ledger_drift",
            subject="ledger",
            payload={"batches": list(batches)},
            retention="security",
        )
        if batches:
            record_event(connection, drifted)
    for batch_id in batches:
        pause_batch(database, batch_id, reason=fault.code, detail=fault.message)
    return fault


def _reconciled(connection: Connection, released: int, settled: int) -> None:
    now = connection.execute(select(func.clock_timestamp())).scalar_one()
    record_event(
        connection,
        AuditEvent(
            key=f"attempts_reconciled/{now.isoformat()}",
            kind="attempts_reconciled",
            subject="ledger",
            payload={"released": released, "settled": settled},
            retention="operational",
        ),
    )


def _taken_over(connection: Connection, lease: Lease, owner: str) -> None:
    record_event(
        connection,
        AuditEvent(
            key=f"lease_taken_over/{lease.token}",
            kind="lease_taken_over",
            subject=lease.batch_id,
            payload={"slice": lease.number, "token": lease.token, "owner": owner},
            retention="operational",
        ),
    )
