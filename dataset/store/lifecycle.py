"""The life of a batch as it is steered: start, pause, cancel, retry; how it is served, and how it ends by itself.

Every step is one transaction, and leaves an audit event where it changes what is wanted.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import Connection, func, select

from dataset.canonical import Json
from dataset.record import BatchId
from dataset.store.audit import AuditEvent, AuditKind, record_event
from dataset.store.batch_control import Control, active_batches, control_of, set_wish
from dataset.store.credentials import credential_lock
from dataset.store.errors import StoreError
from dataset.store.leases import (
    Claim,
    Lease,
    LeasedRun,
    claim,
    give_back,
    lay_out_slices,
    lease_owners,
    runs_of,
    slice_states,
    take_away_expired,
    tokens_left_behind,
)
from dataset.store.ledger import reconcile
from dataset.store.ledger_drift import LedgerDriftError, require_sound
from dataset.store.planned import close_batch, has_ended, revise_invalid_runs
from dataset.store.queue import add_tickets, remove_orphans, remove_tickets, waiting_tickets
from dataset.store.session import Database

LONGEST_CALL = timedelta(hours=3)
"""A try without a lease (a canary's) that is still open after this has nobody behind it: no call may take so long."""
LANES = 8
"""Tickets of one batch at a time: enough for a few workers, few enough that another batch's turn comes soon."""
FORGOTTEN_SECONDS = 60.0
"""A try that is open so long under a lease that is over has no end on its way any more."""


class BatchStateError(StoreError):
    """A batch that can't be steered this way now.

    `BATCH-ENDED-001` every run is recorded · `BATCH-CANCEL-002` it is being cancelled · `BATCH-RUNNING-001` runs are
    still missing.
    """

    code = "BATCH-ENDED-001"


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


def start_batch(
    database: Database, batch_id: BatchId, *, quantum: int, model_keys: Collection[str], lanes: int = LANES
) -> int:
    """Wants the batch to run, lays out its slices and wakes workers; how many slices are open.

    No credential of its models is changed meanwhile. A batch without missing runs ends at once. BatchStateError;
    LedgerDriftError.
    """
    with database.transaction() as connection:
        require_sound(connection)
        credential_lock(connection, model_keys)
        control = control_of(connection, batch_id, lock=True)
        if control.wish == "cancel":
            raise BatchStateError(
                f"batch {batch_id} is being cancelled",
                code="BATCH-CANCEL-002",
                hint=f"`glassbench batch cancel {batch_id}` goes on with that",
            )
        if has_ended(connection, batch_id):
            return 0
        count = lay_out_slices(connection, batch_id, quantum)
        if control.wish != "run":
            set_wish(connection, batch_id, "run")
            kind: AuditKind = "batch_resumed" if control.wish == "pause" else "batch_started"
            _tell(connection, batch_id, kind, control, {"slices": count})
        _top_up_tickets(connection, batch_id, lanes)
        _end_if_complete(connection, batch_id)
    return count


def pause_batch(database: Database, batch_id: BatchId, *, reason: str | None = None, detail: str | None = None) -> bool:
    """Wants no further run to start; False where it wasn't running. `reason`: the code of the rule that wants it."""
    with database.transaction() as connection:
        control = control_of(connection, batch_id, lock=True)
        if control.wish != "run":
            return False
        set_wish(connection, batch_id, "pause", reason=reason, detail=detail)
        remove_tickets(connection, batch_id)
        _tell(connection, batch_id, "batch_paused", control, {"reason": reason})
    return True


def cancel_batch(
    database: Database, batch_id: BatchId, *, quantum: int, reason: str | None = None, detail: str | None = None
) -> bool:
    """Wants every missing run recorded as given up; False where that is wanted already. BatchStateError."""
    with database.transaction() as connection:
        control = control_of(connection, batch_id, lock=True)
        if has_ended(connection, batch_id):
            raise BatchStateError(
                f"batch {batch_id} has ended: every run of it is recorded", hint="`glassbench batch status` shows how"
            )
        if control.wish == "cancel":
            return False
        lay_out_slices(connection, batch_id, quantum)
        set_wish(connection, batch_id, "cancel", reason=reason, detail=detail)
        _top_up_tickets(connection, batch_id, LANES)
        _tell(connection, batch_id, "batch_cancelled", control, {"reason": reason})
    return True


def retry_invalid(database: Database, batch_id: BatchId) -> int:
    """Plans a new revision of each run that came out invalid, once all are recorded; how many. BatchStateError."""
    with database.transaction() as connection:
        control = control_of(connection, batch_id, lock=True)
        if not has_ended(connection, batch_id):
            raise BatchStateError(
                f"batch {batch_id} hasn't ended: runs are retried once all of them are recorded",
                code="BATCH-RUNNING-001",
                hint=f"finish it with `glassbench batch run {batch_id}`",
            )
        count = revise_invalid_runs(connection, batch_id)
        if count:
            set_wish(connection, batch_id, "rest")
            _tell(connection, batch_id, "runs_retried", control, {"runs": count})
    return count


def take_slice(database: Database, batch_id: BatchId, owner: str, *, lease_seconds: float) -> Work | None:
    """A lease of so many seconds on the batch's next slice with its missing runs; None where none may be had now."""
    with database.transaction() as connection:
        claimed = claim(connection, batch_id, owner, lease_seconds)
        if claimed is None:
            return None
        return Work(claim=claimed, runs=runs_of(connection, claimed.lease), control=control_of(connection, batch_id))


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
        return _end_if_complete(connection, lease.batch_id)


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
        remove_orphans(connection)
        active = active_batches(connection)
    for batch_id in active:
        with database.transaction() as connection:
            control_of(connection, batch_id, lock=True)
            _top_up_tickets(connection, batch_id, LANES)
            _end_if_complete(connection, batch_id)
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


def standing_of(database: Database, batch_id: BatchId) -> tuple[Control, bool]:
    """What is wanted of a batch, and whether it has ended."""
    with database.transaction() as connection:
        return control_of(connection, batch_id), has_ended(connection, batch_id)


def _end_if_complete(connection: Connection, batch_id: BatchId) -> bool:
    """Whether the batch ends now; the caller holds its control row."""
    if not close_batch(connection, batch_id):
        return False
    control = control_of(connection, batch_id)
    set_wish(connection, batch_id, "rest", reason=control.reason, detail=control.detail)
    remove_tickets(connection, batch_id)
    _tell(connection, batch_id, "batch_ended", control, {"wish": control.wish, "reason": control.reason})
    return True


def _top_up_tickets(connection: Connection, batch_id: BatchId, lanes: int) -> None:
    """A ticket for each slice that may be had now, `lanes` at most with those that are being served."""
    states = slice_states(connection, batch_id)
    wanted = min(states.get("due", 0), lanes - states.get("leased", 0))
    waiting = waiting_tickets(connection, batch_id)
    add_tickets(connection, batch_id, wanted - waiting)


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


def _tell(connection: Connection, batch_id: BatchId, kind: AuditKind, before: Control, payload: Json) -> None:
    # The moment of the wish that is replaced tells two events of a kind apart.
    key = f"{kind}/{batch_id}/{before.changed_at.isoformat()}"
    record_event(connection, AuditEvent(key=key, kind=kind, subject=batch_id, payload=payload, retention="operational"))
