"""Policies in PostgreSQL: each stored once under the hash of its bytes; the one activated last is active.

What a policy means is the engine's business; here it is canonical bytes that name their currency.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache

from sqlalchemy import Connection, func, insert, select
from sqlalchemy.dialects.postgresql import insert as upsert

from dataset.canonical import read_canonical, sha256_hex
from dataset.store.audit import AuditEvent, record_event
from dataset.store.errors import StoreError
from dataset.store.execution_tables import ledger_scope, policy, policy_activation, provider_attempt


class PolicyHashError(StoreError):
    """A stored policy isn't the one that its hash names; nothing is admitted under it."""

    code = "LEDGER-POLICY-001"


class PolicyCurrencyError(StoreError):
    """A policy that counts in another currency than what is charged already."""

    code = "LEDGER-CURRENCY-001"


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredPolicy:
    """A policy as stored, its hash computed again; `activated_at` is when it last became active, in UTC."""

    hash: str
    content: bytes
    activated_at: datetime
    active: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class AppliedPolicy:
    """What applying a policy did. `replaced` is the hash of the one that was active before, if another was."""

    hash: str
    changed: bool
    known_before: bool
    replaced: str | None


def active_policy(connection: Connection) -> StoredPolicy | None:
    """The active policy; None before there is one. PolicyHashError."""
    found = [stored for stored in list_policies(connection) if stored.active]
    return found[0] if found else None


def list_policies(connection: Connection) -> list[StoredPolicy]:
    """Every policy that was ever active, the one activated last first. PolicyHashError."""
    latest = (
        select(
            policy_activation.c.policy_hash,
            func.max(policy_activation.c.number).label("number"),
            func.max(policy_activation.c.activated_at).label("activated_at"),
        )
        .group_by(policy_activation.c.policy_hash)
        .subquery()
    )
    statement = (
        select(policy.c.hash, policy.c.content, latest.c.activated_at)
        .join(latest, latest.c.policy_hash == policy.c.hash)
        .order_by(latest.c.number.desc())
    )
    return [
        StoredPolicy(
            hash=row.hash,
            content=checked_content(row.hash, row.content),
            activated_at=row.activated_at.astimezone(UTC),
            active=position == 0,
        )
        for position, row in enumerate(connection.execute(statement))
    ]


def ensure_policy(connection: Connection, default: bytes) -> StoredPolicy:
    """The active policy; where there is none, the default becomes it, once, however many ask at the same time."""
    found = active_policy(connection)
    if found is None:
        _hold_activation(connection)
        found = active_policy(connection)
    if found is None:
        apply_policy(connection, default)
        found = active_policy(connection)
    assert found is not None
    return found


def apply_policy(connection: Connection, content: bytes) -> AppliedPolicy:
    """Makes the policy with these canonical bytes the active one; what is active already stays, and nothing is written.

    PolicyCurrencyError where the ledger holds charges in another currency.
    """
    _hold_activation(connection)
    before = active_policy(connection)
    digest = sha256_hex(content)
    if before is not None and before.hash == digest:
        return AppliedPolicy(hash=digest, changed=False, known_before=True, replaced=None)
    if before is not None:
        _require_currency(connection, before.content, content)
    new = connection.execute(
        upsert(policy).values(hash=digest, content=content).on_conflict_do_nothing().returning(policy.c.hash)
    ).one_or_none()
    number = connection.execute(
        insert(policy_activation).values(policy_hash=digest).returning(policy_activation.c.number)
    ).scalar_one()
    replaced = before.hash if before else None
    record_event(
        connection,
        AuditEvent(
            key=f"policy_activated/{number}",
            kind="policy_activated",
            subject=digest,
            payload={"number": number, "replaced": replaced, "first_time": new is not None},
            retention="security",
        ),
    )
    return AppliedPolicy(hash=digest, changed=True, known_before=new is None, replaced=replaced)


def checked_content(digest: str, content: bytes) -> bytes:
    """The bytes of a stored policy; PolicyHashError where they aren't what the hash names."""
    computed = sha256_hex(content)
    if computed != digest:
        raise PolicyHashError(
            f"policy {digest[:12]}…: its stored content has the hash {computed[:12]}…",
            hint="the row was changed behind Glassbench's back: restore the database",
        )
    return content


@lru_cache(maxsize=64)
def currency_of(content: bytes) -> str:
    """The currency that a policy counts in."""
    return str(read_canonical(content)["currency"])


def _hold_activation(connection: Connection) -> None:
    """One activation at a time, and none while an admission is under way, which reads which policy is active."""
    connection.execute(upsert(ledger_scope).values(kind="global", key="").on_conflict_do_nothing())
    held = select(ledger_scope.c.kind).where(ledger_scope.c.kind == "global").with_for_update(key_share=True)
    connection.execute(held)


def _require_currency(connection: Connection, before: bytes, after: bytes) -> None:
    old, new = currency_of(before), currency_of(after)
    charged = select(provider_attempt.c.call_key).where(
        func.coalesce(provider_attempt.c.actual_charge, provider_attempt.c.reserved_charge, 0) != 0,
        provider_attempt.c.state != "released_pre_send",
    )
    if old != new and connection.execute(charged.limit(1)).one_or_none() is not None:
        raise PolicyCurrencyError(
            f"the policy counts in {new}, and the ledger holds charges in {old}",
            hint=f"write its costs in {old}, or start with a new database",
        )
