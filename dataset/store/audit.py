"""The audit trail: typed events that are written once, by the database's clock, each under a key of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from sqlalchemy import Connection, func, select
from sqlalchemy.dialects.postgresql import insert as upsert

from dataset.canonical import Json, canonical_bytes, sha256_hex
from dataset.store.errors import StoreError
from dataset.store.execution_tables import audit_event
from dataset.store.session import Database

AuditKind = Literal[
    "policy_activated",
    "batch_admitted",
    "batch_refused",
    "batch_started",
    "batch_paused",
    "batch_resumed",
    "batch_cancelled",
    "batch_ended",
    "preflight_passed",
    "preflight_failed",
    "lease_taken_over",
    "attempts_reconciled",
    "slice_dead",
    "ledger_drift",
    "runs_retried",
    "credential_set",
    "credential_rotated",
    "credential_removed",
    "credential_refused",
    "credential_unreadable",
    "keyring_created",
    "keyring_rotated",
    "audit_archived",
    "audit_deleted",
]
"""Every kind of event there is; docs/reference/audit-events.md says what each one holds."""
AUDIT_KINDS: tuple[AuditKind, ...] = get_args(AuditKind)
Retention = Literal["operational", "security"]
RETENTION_DAYS: dict[Retention, int] = {"operational": 90, "security": 365}
"""How long an event is kept at least: days of 24 hours from when it was written."""


class AuditConflictError(StoreError):
    """An event's key stands already, for another event."""

    code = "AUDIT-CONFLICT-001"


@dataclass(frozen=True, kw_only=True, slots=True)
class AuditEvent:
    """Something that happened. The key is its identity: the same event told twice stands once.

    `subject` is the id of what it is about (a batch, a model, a policy). The payload holds ids, counts and stable
    reasons; never a secret, an address or free text from outside.
    """

    key: str
    kind: AuditKind
    subject: str
    payload: Json
    retention: Retention


def record_event(connection: Connection, event: AuditEvent) -> bool:
    """Whether the event was new: False where it stands already under its key.

    It is written in the caller's transaction, and is gone with it. AuditConflictError where another event has the key;
    CanonicalError where the payload has no canonical form.
    """
    payload = canonical_bytes(event.payload)
    now = func.statement_timestamp()
    told = {"kind": event.kind, "subject": event.subject, "payload_hash": sha256_hex(payload)}
    statement = (
        upsert(audit_event)
        .values(
            event_key=event.key,
            payload=payload,
            retention=event.retention,
            occurred_at=now,
            # Hours, because a day of the session's time zone may have 23 or 25.
            expires_at=now + func.make_interval(0, 0, 0, 0, 24 * RETENTION_DAYS[event.retention]),
            **told,
        )
        .on_conflict_do_nothing(index_elements=["event_key"])
        .returning(audit_event.c.number)
    )
    if connection.execute(statement).one_or_none() is not None:
        return True
    columns = (audit_event.c[name] for name in told)
    standing = connection.execute(select(*columns).where(audit_event.c.event_key == event.key)).one()
    if tuple(standing) != tuple(told.values()):
        raise AuditConflictError(f"the audit trail holds another event under the key {event.key!r}")
    return False


def record_event_apart(database: Database, event: AuditEvent) -> bool:
    """`record_event` in a transaction of its own: what was refused is told although the refused work is rolled back."""
    with database.transaction() as connection:
        return record_event(connection, event)
