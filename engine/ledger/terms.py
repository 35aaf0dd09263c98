"""The terms of a batch: the policy and the limits of its own that it was created under, frozen for its whole life."""

from __future__ import annotations

from decimal import Decimal
from functools import cached_property

from pydantic import ValidationError

from dataset.canonical import canonical_bytes
from dataset.measures.exchange import FxSnapshot
from dataset.record import Record
from dataset.store.attempt import Scope
from dataset.store.errors import StoreError
from engine.ledger.policy import ANY, UNLIMITED, Amount, Policy, ScopeLimits, Whole


class BatchLimits(Record):
    """What the owner lets one batch use at most; None is no limit of its own. Cost is in the policy's currency."""

    requests: Whole | None = None
    tokens: Whole | None = None
    cost: Amount | None = None

    def within(self, limits: ScopeLimits) -> ScopeLimits:
        """The limits of a batch's scope, each the tighter one of the two."""
        return ScopeLimits(
            concurrency=limits.concurrency,
            requests_per_minute=limits.requests_per_minute,
            tokens_per_minute=limits.tokens_per_minute,
            requests=_tighter(self.requests, limits.requests),
            tokens=_tighter(self.tokens, limits.tokens),
            cost=min((cost for cost in (self.cost, limits.cost) if cost is not None), key=Decimal, default=None),
        )


class TermsError(StoreError):
    """Terms that this version of Glassbench can't read."""

    code = "BATCH-HASH-001"


class Terms(Record):
    """What a batch is run under. `input_reservation` is the least that each call reserves for its input, in tokens;
    None reserves no input, and a limit on tokens then refuses every call."""

    policy: Policy
    limits: BatchLimits = BatchLimits()
    rates: tuple[FxSnapshot, ...] = ()
    """The dated exchange rates that costs are charged by."""
    input_reservation: Whole | None = None

    @classmethod
    def of_content(cls, content: bytes, *, batch_id: str) -> Terms:
        """The terms that a batch's stored bytes hold; TermsError where they can't be read."""
        try:
            return cls.model_validate_json(content)
        except ValidationError:
            raise TermsError(
                f"batch {batch_id}: its terms can't be read by this version of Glassbench",
                hint="use the version that created it",
            ) from None

    def content(self) -> bytes:
        """The canonical bytes that are stored and hashed."""
        return canonical_bytes(self.body())

    @cached_property
    def policy_hash(self) -> str:
        """The id of the policy."""
        return self.policy.digest()

    def effective_limits(self, scope: Scope) -> ScopeLimits:
        """The limits that hold in a scope for calls of this batch."""
        return self.own_limits if scope.kind == "batch" else self.policy.limits_of(scope)

    @cached_property
    def own_limits(self) -> ScopeLimits:
        """The limits of the batch's own scope."""
        return self.limits.within(self.policy.batch.get(ANY, UNLIMITED))


def _tighter(own: int | None, general: int | None) -> int | None:
    return min((limit for limit in (own, general) if limit is not None), default=None)
