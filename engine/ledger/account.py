"""The account of one model in one batch: what a try of its calls reserves, and what it then turns out to have used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property, lru_cache, partial

from dataset.artifacts.artifact import Cost, Usage
from dataset.artifacts.definition import FrozenModel
from dataset.measures.cost import UNBILLED, call_cost, most_cost
from dataset.measures.exchange import convert
from dataset.record import BatchId, RunId, UtcTime
from dataset.store.attempt import (
    OUTCOME_UNKNOWN,
    AttemptKey,
    AttemptRole,
    Reservation,
    Settlement,
)
from dataset.store.ledger import Rule
from engine.ledger.admission import decide
from engine.ledger.request_digest import RequestDigest
from engine.ledger.terms import Terms
from engine.ledger.waiting_line import WaitingLine
from engine.providers.interface import TryOutcome
from engine.telemetry.clock import Clock

DEAREST_CALL = Decimal(10) ** 9
"""In any currency: beyond it a price is a slip, and a sum of such costs would be more than the ledger can hold."""


@dataclass(frozen=True, kw_only=True)
class RunPlace:
    """Which call of which run a try belongs to."""

    run_id: RunId
    attempt: int
    step: int


@dataclass(frozen=True, kw_only=True)
class Account:
    """Turns calls into reservations and their ends into settlements, by the terms of the batch."""

    batch_id: BatchId
    model: FrozenModel
    terms: Terms
    clock: Clock
    role: AttemptRole = "candidate"
    line: WaitingLine = field(default_factory=WaitingLine)
    """Where calls wait for a place; the same for all accounts of a worker, since they share the global one."""

    @cached_property
    def request_digest(self) -> RequestDigest:
        """What identifies a request to the model as the batch froze it."""
        return RequestDigest(self.model.digest())

    @cached_property
    def rule(self) -> Rule:
        """What may be admitted under the batch's terms."""
        return partial(decide, self.terms)

    def reservation(
        self,
        key: AttemptKey,
        *,
        place: RunPlace | None,
        lease_token: int | None,
        request_digest: str,
        input_tokens: int,
        output_tokens: int | None,
    ) -> Reservation:
        """The most that a try can use: its counted input, or the floor that the terms set; its whole output; their
        dearest price. None is what nothing bounds."""
        floor = self.terms.input_reservation
        reserved = None if floor is None else max(floor, input_tokens)
        currency, cost, charge = self._dearest(max(floor or 0, input_tokens), output_tokens)
        return Reservation(
            call_key=key.call_key,
            ordinal=key.ordinal,
            batch_id=self.batch_id,
            run_id=place.run_id if place else None,
            run_attempt=place.attempt if place else None,
            step=place.step if place else None,
            provider=self.model.provider,
            model_key=self.model.key,
            role=self.role,
            lease_token=lease_token,
            policy_hash=self.terms.policy_hash,
            request_digest=request_digest,
            input_tokens=reserved,
            output_tokens=output_tokens,
            currency=currency,
            cost=cost,
            charge=charge,
        )

    @cached_property
    def _dearest(self) -> Callable[[int, int | None], tuple[str | None, Decimal | None, Decimal | None]]:
        """The most that so many tokens can cost: currency, cost, and charge. The calls of a case are much alike."""

        @lru_cache(maxsize=4096)
        def dearest(input_tokens: int, output_tokens: int | None) -> tuple[str | None, Decimal | None, Decimal | None]:
            cost = self._most(input_tokens, output_tokens)
            if cost is None:
                return None, None, None
            return cost.currency, Decimal(cost.amount), self._charge(cost)

        return dearest

    def settlement(self, key: AttemptKey, outcome: TryOutcome | None, *, started_at: UtcTime) -> Settlement:
        """What a try used, as far as anybody knows: the reported usage at the model's price; nothing, where a server
        refuses without an answer; else unknown, which counts all that was reserved."""
        if outcome is None:
            return Settlement(call_key=key.call_key, ordinal=key.ordinal, code=OUTCOME_UNKNOWN)
        usage = outcome.usage or Usage()
        if outcome.code in UNBILLED:
            usage = Usage(input_tokens=0, output_tokens=0)
        known = usage.input_tokens is not None and usage.output_tokens is not None
        cost = self._actual(usage, started_at) if known else None
        return Settlement(
            call_key=key.call_key,
            ordinal=key.ordinal,
            input_tokens=usage.input_tokens if known else None,
            output_tokens=usage.output_tokens if known else None,
            cost=Decimal(cost.amount) if cost else None,
            charge=self._charge(cost),
            code=outcome.code,
            status=outcome.status,
        )

    def _most(self, input_tokens: int, output_tokens: int | None) -> Cost | None:
        if self.model.synthetic:
            return Cost(amount="0", currency=self.terms.policy.currency)
        if self.model.price is None or output_tokens is None:
            return None
        return _kept(most_cost(self.model.price, input_tokens=input_tokens, output_tokens=output_tokens))

    def _actual(self, usage: Usage, started_at: UtcTime) -> Cost | None:
        if self.model.synthetic or usage.input_tokens == usage.output_tokens == 0:
            return self._nothing()
        if self.model.price is None:
            return None
        return _kept(call_cost(usage, self.model.price, started_at=started_at)[0])

    def _nothing(self) -> Cost | None:
        if self.model.price is None and not self.model.synthetic:
            return None
        return Cost(amount="0", currency=self.model.price.currency if self.model.price else self.terms.policy.currency)

    def _charge(self, cost: Cost | None) -> Decimal | None:
        """A cost in the policy's currency; None where it isn't known, or no dated rate leads there."""
        if cost is None:
            return None
        converted = _kept(convert(cost, self.terms.policy.currency, self.terms.rates)[0])
        return Decimal(converted.amount) if converted else None


def _kept(cost: Cost | None) -> Cost | None:
    """A cost that a call can have; for one beyond that None, as for one that nobody knows."""
    return cost if cost is not None and Decimal(cost.amount) <= DEAREST_CALL else None
