"""The rule of admission: may this attempt start now, later, or never? A pure function of terms, state and time.

All four scopes must allow it. A denial outweighs a shortage, and among shortages the longest wait counts. A limit on
what a whole life may use (requests, tokens, cost) is exhausted only by what is settled: what is merely reserved may
turn out smaller, so its being in the way is a shortage that passes.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import assert_never

from dataset.measures.cost import amount_text
from dataset.store.attempt import (
    Admitted,
    Decision,
    Deferred,
    DenialCode,
    Denied,
    LimitName,
    Reservation,
    Scope,
    ScopeState,
    ScopeStates,
)
from engine.ledger.terms import Terms

RETRY_SECONDS = 1.0
"""How soon to ask again for what another attempt's end may set free at any moment."""
_ADMITTED = Admitted()


@dataclass(frozen=True, kw_only=True, slots=True)
class _Asked:
    """One limit in one scope, what is asked of it and what stands against it."""

    scope: Scope
    limit: LimitName
    most: int | Decimal
    asked: int | Decimal | None
    settled: int | Decimal
    """What waiting can't give back; of a limit that passes by itself, nothing."""
    taken: int | Decimal
    wait: float


def decide(terms: Terms, reservation: Reservation, states: ScopeStates, now: datetime) -> Decision:
    """Whether the attempt may start. `states` holds its four scopes; `now` is the database's clock."""
    waits: list[Deferred] = []
    for scope in reservation.scopes:
        for limit, most in terms.effective_limits(scope).given():
            match _judge(_ask(scope, limit, most, reservation, states[scope], now), reservation, terms):
                case Denied() as denial:
                    return denial
                case Deferred() as wait:
                    waits.append(wait)
                case Admitted():
                    pass
    return max(waits, key=lambda wait: wait.seconds) if waits else _ADMITTED


def _judge(asked: _Asked, reservation: Reservation, terms: Terms) -> Decision:
    if not asked.most:
        return _denied("LEDGER-DENY-001", asked, "the limit is 0, which admits nothing")
    if asked.asked is None:
        return _denied("LEDGER-UNBOUNDED-001", asked, _what_is_missing(asked.limit, reservation, terms))
    if asked.asked > asked.most and asked.limit == "tokens_per_minute":
        return _denied("LEDGER-OVERSIZE-001", asked, f"the call alone reserves {asked.asked} tokens of {asked.most}")
    if asked.settled + asked.asked > asked.most:
        settled, most, more = (amount_text(Decimal(n)) for n in (asked.settled, asked.most, asked.asked))
        detail = f"{settled} of {most} are used, and the call can use {more}"
        return _denied("LEDGER-BUDGET-001", asked, detail)
    if asked.taken + asked.asked > asked.most:
        return Deferred(scope=asked.scope, limit=asked.limit, seconds=asked.wait)
    return _ADMITTED


def _ask(
    scope: Scope, limit: LimitName, most: int | Decimal, reservation: Reservation, state: ScopeState, now: datetime
) -> _Asked:
    def ask(asked: int | Decimal | None, settled: int | Decimal, taken: int | Decimal, wait: float) -> _Asked:
        return _Asked(scope=scope, limit=limit, most=most, asked=asked, settled=settled, taken=taken, wait=wait)

    match limit:
        case "concurrency":
            return ask(1, 0, state.active, RETRY_SECONDS)
        case "requests_per_minute":
            return ask(1, 0, state.minute_requests, _to_the_next_minute(now))
        case "tokens_per_minute":
            return ask(_tokens(reservation), 0, state.minute_tokens, _to_the_next_minute(now))
        case "requests":
            return ask(1, state.requests - state.active, state.requests, RETRY_SECONDS)
        case "tokens":
            return ask(_tokens(reservation), state.tokens - state.reserved_tokens, state.tokens, RETRY_SECONDS)
        case "cost":
            charge = None if reservation.charge is None else reservation.reserved_charge
            return ask(charge, state.charge - state.reserved_charge, state.charge, RETRY_SECONDS)
        case _:
            assert_never(limit)


def _tokens(reservation: Reservation) -> int | None:
    bounded = reservation.input_tokens is not None and reservation.output_tokens is not None
    return reservation.tokens if bounded else None


def _what_is_missing(limit: LimitName, reservation: Reservation, terms: Terms) -> str:
    if reservation.output_tokens is None:
        return "the call has no max_tokens, so nothing bounds what it can use"
    if limit == "cost":
        return f"the model has no price in {terms.policy.currency}, nor a price and a dated exchange rate to it"
    return "a limit on tokens needs an input reservation, and the batch was created without one"


def _denied(code: DenialCode, asked: _Asked, detail: str) -> Denied:
    return Denied(code=code, scope=asked.scope, limit=asked.limit, detail=detail)


def _to_the_next_minute(now: datetime) -> float:
    return 60 - now.second - now.microsecond / 1_000_000
