"""What the ledger is told and what it answers: values only, so that the rules that use them need no database.

An attempt is one HTTP try of one call. It is reserved in four scopes at once (everything, its provider, its model, its
batch), marked before its first byte leaves, and settled when it has ended.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_CEILING, Decimal
from typing import Literal, NamedTuple

from dataset.record import BatchId, RunId

ScopeKind = Literal["global", "provider", "model", "batch"]
LimitName = Literal["concurrency", "requests_per_minute", "tokens_per_minute", "requests", "tokens", "cost"]
AttemptRole = Literal["candidate", "judge", "canary"]
AttemptState = Literal["reserved", "send_started", "settled_actual", "settled_conservative", "released_pre_send"]
DenialCode = Literal[
    "LEDGER-DENY-001",
    "LEDGER-UNBOUNDED-001",
    "LEDGER-OVERSIZE-001",
    "LEDGER-BUDGET-001",
    "LEDGER-CURRENCY-001",
    "LEDGER-KEY-001",
]
SettlementCode = Literal["LEDGER-KEY-002", "LEDGER-SETTLED-001", "LEDGER-UNSENT-001"]

OUTCOME_UNKNOWN = "outcome_unknown"
"""The code of an attempt that was sent and of which nobody knows how it ended."""
NEVER_SENT = "never_sent"
"""The code of an attempt that its worker left behind before anything was sent."""
_SMALLEST = Decimal("0.0000000001")


class Scope(NamedTuple):
    """Where consumption is counted and limited. The key of the global scope is empty."""

    kind: ScopeKind
    key: str

    def __str__(self) -> str:
        return f"{self.kind} {self.key}".rstrip()


GLOBAL = Scope("global", "")


def scopes_of(provider: str, model_key: str, batch_id: str) -> tuple[Scope, Scope, Scope, Scope]:
    """The four scopes of an attempt, in the order in which they are locked."""
    return GLOBAL, Scope("provider", provider), Scope("model", model_key), Scope("batch", batch_id)


class AttemptKey(NamedTuple):
    """The identity of an attempt: the call, and the number of its HTTP try."""

    call_key: str
    ordinal: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Reservation:
    """One attempt that asks to be admitted, and the most it can use; None is what isn't bounded or isn't known.

    `cost` is in `currency`, the price's; `charge` is the same in the policy's currency.
    """

    call_key: str
    ordinal: int
    batch_id: BatchId
    run_id: RunId | None
    run_attempt: int | None
    step: int | None
    provider: str
    model_key: str
    role: AttemptRole
    lease_token: int | None
    policy_hash: str
    request_digest: str
    input_tokens: int | None
    output_tokens: int | None
    currency: str | None
    cost: Decimal | None
    charge: Decimal | None

    @property
    def key(self) -> AttemptKey:
        """Its identity."""
        return AttemptKey(self.call_key, self.ordinal)

    @property
    def scopes(self) -> tuple[Scope, Scope, Scope, Scope]:
        """The scopes it is counted in, in locking order."""
        return scopes_of(self.provider, self.model_key, self.batch_id)

    @property
    def tokens(self) -> int:
        """The tokens it reserves; what isn't bounded reserves none."""
        return (self.input_tokens or 0) + (self.output_tokens or 0)

    @property
    def reserved_charge(self) -> Decimal:
        """The charge it reserves as the ledger keeps it; an unknown one reserves none."""
        return ledger_amount(self.charge) or Decimal(0)


@dataclass(frozen=True, kw_only=True, slots=True)
class ScopeState:
    """What a scope has consumed: `requests`, `tokens`, `charge` in all; `active`, `reserved_…` what isn't settled yet.

    `minute_requests` and `minute_tokens` count the attempts of the current minute of the database's clock.
    """

    active: int = 0
    requests: int = 0
    tokens: int = 0
    reserved_tokens: int = 0
    charge: Decimal = Decimal(0)
    reserved_charge: Decimal = Decimal(0)
    minute_requests: int = 0
    minute_tokens: int = 0

    def after(self, reservation: Reservation) -> ScopeState:
        """The state once the reservation is admitted."""
        tokens, charge = reservation.tokens, reservation.reserved_charge
        return ScopeState(
            active=self.active + 1,
            requests=self.requests + 1,
            tokens=self.tokens + tokens,
            reserved_tokens=self.reserved_tokens + tokens,
            charge=self.charge + charge,
            reserved_charge=self.reserved_charge + charge,
            minute_requests=self.minute_requests + 1,
            minute_tokens=self.minute_tokens + tokens,
        )


ScopeStates = Mapping[Scope, ScopeState]


@dataclass(frozen=True, kw_only=True, slots=True)
class Admitted:
    """The attempt is reserved; it may be sent once the reservation is committed and marked."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Deferred:
    """A passing shortage: nothing was reserved, and it makes sense to ask again after so many seconds."""

    scope: Scope
    limit: LimitName
    seconds: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Denied:
    """Nothing was reserved, and asking again changes nothing."""

    code: DenialCode
    scope: Scope
    limit: LimitName | None
    detail: str


Decision = Admitted | Deferred | Denied


@dataclass(frozen=True, kw_only=True, slots=True)
class Settlement:
    """How an attempt ended. Both token counts, or neither where what it used isn't known.

    `cost` is in the price's currency and `charge` in the policy's; None where it isn't known, and then the reserved one
    goes on counting. An attempt that was never marked as sent is released, whatever is said here.
    """

    call_key: str
    ordinal: int
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: Decimal | None = None
    charge: Decimal | None = None
    code: str | None = None
    status: int | None = None

    @property
    def key(self) -> AttemptKey:
        """The attempt that it ends."""
        return AttemptKey(self.call_key, self.ordinal)

    @property
    def is_known(self) -> bool:
        """Whether it says what was used."""
        return self.input_tokens is not None and self.output_tokens is not None


@dataclass(frozen=True, kw_only=True, slots=True)
class SettlementFault:
    """A settlement that changed nothing, and why."""

    key: AttemptKey
    code: SettlementCode
    message: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Reconciled:
    """Attempts that were left open and are closed now: provably unsent ones, and those that count in full."""

    released: tuple[AttemptKey, ...]
    settled: tuple[AttemptKey, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class AttemptRow:
    """An attempt as the ledger holds it; times are UTC by the database's clock."""

    call_key: str
    ordinal: int
    batch_id: str
    run_id: str | None
    run_attempt: int | None
    step: int | None
    provider: str
    model_key: str
    role: AttemptRole
    lease_token: int | None
    policy_hash: str
    request_digest: str
    state: AttemptState
    minute: datetime
    reserved_input: int | None
    reserved_output: int | None
    actual_input: int | None
    actual_output: int | None
    currency: str | None
    reserved_cost: Decimal | None
    actual_cost: Decimal | None
    reserved_charge: Decimal | None
    actual_charge: Decimal | None
    status: int | None
    code: str | None
    reserved_at: datetime
    sent_at: datetime | None
    ended_at: datetime | None

    @property
    def is_open(self) -> bool:
        """Whether nothing says yet how it ended."""
        return self.state in ("reserved", "send_started")


def ledger_amount(amount: Decimal | None) -> Decimal | None:
    """An amount at the ledger's ten decimals, rounded up, so that a budget is never passed by a rounding."""
    return None if amount is None else amount.quantize(_SMALLEST, rounding=ROUND_CEILING)
