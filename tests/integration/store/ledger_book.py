"""What the ledger's tests write: a batch, a policy, and reservations that differ in what a test is about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import text

from dataset.record import BatchId
from dataset.store.attempt import Admitted, AttemptKey, Decision, Reservation, Scope, ScopeState, Settlement
from dataset.store.ledger import mark_sent, reserve, settle
from dataset.store.policies import apply_policy
from dataset.store.session import Database
from engine.ledger.admission import decide
from engine.ledger.policy import DEFAULT_POLICY, Policy
from engine.ledger.terms import Terms
from tests.integration.store.packs import start_batch

MODEL = Scope("model", "small")
PROVIDER = Scope("provider", "cloud")


def open_book(database: Database, policy: Policy = DEFAULT_POLICY) -> BatchId:
    """A batch, and the policy made active."""
    batch_id = start_batch(database)
    with database.transaction() as connection:
        apply_policy(connection, policy.content())
    return batch_id


def ask(number: int = 1, *, policy: Policy = DEFAULT_POLICY, **changes: Any) -> Reservation:
    """A reservation of 100 + 50 tokens and a charge of 0.5."""
    standard = Reservation(
        call_key=f"call-{number:05}",
        ordinal=1,
        batch_id=BatchId("b1"),
        run_id=None,
        run_attempt=1,
        step=1,
        provider="cloud",
        model_key="small",
        role="candidate",
        lease_token=7,
        policy_hash=policy.digest(),
        request_digest="ab" * 32,
        input_tokens=100,
        output_tokens=50,
        currency="USD",
        cost=Decimal("0.5"),
        charge=Decimal("0.5"),
    )
    return replace(standard, **changes)


def try_all(database: Database, *asked: Reservation, policy: Policy = DEFAULT_POLICY, **terms: Any) -> list[Decision]:
    """The decisions on these, committed."""
    frozen = Terms(policy=policy, **terms)

    def rule(reservation: Reservation, states: Mapping[Scope, ScopeState], now: datetime) -> Decision:
        return decide(frozen, reservation, states, now)

    with database.transaction() as connection:
        return reserve(connection, asked, rule)


def admit(database: Database, *asked: Reservation, policy: Policy = DEFAULT_POLICY) -> list[AttemptKey]:
    """The keys of these, each admitted."""
    assert try_all(database, *asked, policy=policy) == [Admitted()] * len(asked)
    return [reservation.key for reservation in asked]


def send(database: Database, *keys: AttemptKey) -> set[AttemptKey]:
    """Marks these, committed."""
    with database.transaction() as connection:
        return mark_sent(connection, keys)


def end(database: Database, key: AttemptKey, **told: Any) -> list[str]:
    """Settles one, committed; the codes of what couldn't be taken."""
    with database.transaction() as connection:
        faults = settle(connection, [Settlement(call_key=key.call_key, ordinal=key.ordinal, **told)])
    return [fault.code for fault in faults]


def row_of(database: Database, key: AttemptKey) -> Any:
    """The attempt as stored."""
    with database.transaction() as connection:
        return connection.execute(
            text("SELECT * FROM provider_attempt WHERE call_key = :call_key AND ordinal = :ordinal"), key._asdict()
        ).one()


def totals(database: Database, scope: Scope) -> tuple[Any, ...]:
    """Active, requests, tokens, reserved tokens, charge, reserved charge, overdrawn; as kept."""
    with database.transaction() as connection:
        row = connection.execute(
            text("SELECT * FROM ledger_scope WHERE kind = :kind AND key = :key"), scope._asdict()
        ).one()
    return tuple(row)[2:]


def force(database: Database, *statements: str) -> None:
    """Statements that no trigger refuses: somebody with the rights of a superuser changes rows."""
    with database.transaction() as connection:
        connection.execute(text("SET LOCAL session_replication_role = replica"))
        for statement in statements:
            connection.execute(text(statement))
