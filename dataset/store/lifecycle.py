"""The life of a batch as it is steered: start, pause, cancel, retry; and how it ends by itself.

Every step is one transaction, and leaves an audit event where it changes what is wanted.
"""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import Connection

from dataset.canonical import Json
from dataset.record import BatchId
from dataset.store.audit import AuditEvent, AuditKind, record_event
from dataset.store.batch_control import Control, control_of, set_wish
from dataset.store.credentials import credential_lock
from dataset.store.errors import StoreError
from dataset.store.leases import lay_out_slices, slice_states
from dataset.store.ledger_drift import require_sound
from dataset.store.planned import close_batch, has_ended, revise_invalid_runs
from dataset.store.queue import add_tickets, remove_tickets, waiting_tickets
from dataset.store.session import Database

LANES = 8
"""Tickets of one batch at a time: enough for a few workers, few enough that another batch's turn comes soon."""


class BatchStateError(StoreError):
    """A batch that can't be steered this way now.

    `BATCH-ENDED-001` every run is recorded · `BATCH-CANCEL-002` it is being cancelled · `BATCH-RUNNING-001` runs are
    still missing.
    """

    code = "BATCH-ENDED-001"


def start_batch(database: Database, batch_id: BatchId, *, quantum: int, model_keys: Collection[str]) -> int:
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
        top_up_tickets(connection, batch_id, LANES)
        end_if_complete(connection, batch_id)
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


def cancel_batch(database: Database, batch_id: BatchId, *, quantum: int, reason: str | None = None) -> bool:
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
        set_wish(connection, batch_id, "cancel", reason=reason)
        top_up_tickets(connection, batch_id, LANES)
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


def standing_of(database: Database, batch_id: BatchId) -> tuple[Control, bool]:
    """What is wanted of a batch, and whether it has ended."""
    with database.transaction() as connection:
        return control_of(connection, batch_id), has_ended(connection, batch_id)


def end_if_complete(connection: Connection, batch_id: BatchId) -> bool:
    """Whether the batch ends now; the caller holds its control row."""
    if not close_batch(connection, batch_id):
        return False
    control = control_of(connection, batch_id)
    set_wish(connection, batch_id, "rest", reason=control.reason, detail=control.detail)
    remove_tickets(connection, batch_id)
    _tell(connection, batch_id, "batch_ended", control, {"wish": control.wish, "reason": control.reason})
    return True


def top_up_tickets(connection: Connection, batch_id: BatchId, lanes: int) -> None:
    """A ticket for each slice that may be had now, `lanes` at most with those that are being served."""
    states = slice_states(connection, batch_id)
    wanted = min(states.get("due", 0), lanes - states.get("leased", 0))
    waiting = waiting_tickets(connection, batch_id)
    add_tickets(connection, batch_id, wanted - waiting)


def _tell(connection: Connection, batch_id: BatchId, kind: AuditKind, before: Control, payload: Json) -> None:
    # The moment of the wish that is replaced tells two events of a kind apart.
    key = f"{kind}/{batch_id}/{before.changed_at.isoformat()}"
    record_event(connection, AuditEvent(key=key, kind=kind, subject=batch_id, payload=payload, retention="operational"))
