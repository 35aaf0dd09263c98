"""The writes of the ledger, for the journal: admission, the mark before the first byte, the settlement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Self

from sqlalchemy import Connection

from dataset.store.attempt import AttemptKey, Decision, Reservation, ScopeStates, Settlement
from dataset.store.errors import StoreError
from dataset.store.leases import Lease
from dataset.store.ledger import Rule, mark_sent, reserve, settle
from dataset.store.ledger_drift import LedgerDriftError
from dataset.store.policies import PolicyHashError


class UnmarkedError(StoreError):
    """An attempt that isn't reserved any more, so nothing may be sent for it."""

    code = "LEDGER-MARK-001"


@dataclass(frozen=True, kw_only=True, slots=True)
class Reserve:
    """Asks the ledger to admit an attempt by a rule; the result is its decision."""

    lease: Lease | None
    source: str
    reservation: Reservation
    rule: Rule

    @classmethod
    def execute(cls, connection: Connection, writes: Sequence[Self]) -> Sequence[Decision | StoreError]:
        """A decision for each, each by its own rule; the error for all where the ledger can't be trusted."""
        rules = {write.reservation.key: write.rule for write in writes}

        def decide(reservation: Reservation, states: ScopeStates, now: datetime) -> Decision:
            return rules[reservation.key](reservation, states, now)

        try:
            return reserve(connection, [write.reservation for write in writes], decide)
        except (LedgerDriftError, PolicyHashError) as error:
            # Raised before anything was written; what else is in the group isn't at fault.
            return [error] * len(writes)


@dataclass(frozen=True, kw_only=True, slots=True)
class MarkSent:
    """Marks a reserved attempt as sent."""

    lease: Lease | None
    source: str
    key: AttemptKey

    @classmethod
    def execute(cls, connection: Connection, writes: Sequence[Self]) -> list[UnmarkedError | None]:
        """None for each that is marked now."""
        moved = mark_sent(connection, [write.key for write in writes])
        return [None if write.key in moved else _unmarked(write.key) for write in writes]


@dataclass(frozen=True, kw_only=True, slots=True)
class Settle:
    """Ends an attempt."""

    lease: Lease | None
    source: str
    settlement: Settlement

    @classmethod
    def execute(cls, connection: Connection, writes: Sequence[Self]) -> list[StoreError | None]:
        """None for each that is settled now; an attempt that was settled before otherwise is an error."""
        faults = {fault.key: fault for fault in settle(connection, [write.settlement for write in writes])}
        return [
            StoreError(fault.message, code=fault.code) if (fault := faults.get(write.settlement.key)) else None
            for write in writes
        ]


def _unmarked(key: AttemptKey) -> UnmarkedError:
    return UnmarkedError(f"attempt {key.ordinal} of call {key.call_key} isn't reserved any more")
