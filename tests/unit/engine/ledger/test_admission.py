from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dataset.record import BatchId
from dataset.store.attempt import (
    GLOBAL,
    Admitted,
    Decision,
    Deferred,
    Denied,
    LimitName,
    Reservation,
    Scope,
    ScopeState,
    scopes_of,
)
from engine.ledger.admission import decide
from engine.ledger.policy import Policy
from engine.ledger.terms import BatchLimits, Terms

NOW = datetime(2026, 1, 2, 3, 4, 45, tzinfo=UTC)
SCOPES = scopes_of("cloud", "small", "b1")
EMPTY = dict.fromkeys(SCOPES, ScopeState())
HOLDERS: tuple[tuple[str, ...], ...] = (("global",), ("provider", "*"), ("model", "*"), ("batch", "*"))
LIMITS = ("concurrency", "requests_per_minute", "tokens_per_minute", "requests", "tokens", "cost")


def ask(**changes: Any) -> Reservation:
    standard = Reservation(
        call_key="c",
        ordinal=1,
        batch_id=BatchId("b1"),
        run_id=None,
        run_attempt=None,
        step=None,
        provider="cloud",
        model_key="small",
        role="candidate",
        lease_token=None,
        policy_hash="0" * 64,
        request_digest="0" * 64,
        input_tokens=100,
        output_tokens=50,
        currency="USD",
        cost=Decimal("0.5"),
        charge=Decimal("0.5"),
    )
    return replace(standard, **changes)


def terms(holder: tuple[str, ...], **limits: Any) -> Terms:
    inner: Any = limits
    for name in reversed(holder):
        inner = {name: inner}
    return Terms(policy=Policy.model_validate(inner), input_reservation=0)


def with_state(scope: Scope, **figures: Any) -> Mapping[Scope, ScopeState]:
    return {**EMPTY, scope: ScopeState(**figures)}


def test_no_limit_admits_a_call_that_nothing_bounds() -> None:
    unbounded = ask(input_tokens=None, output_tokens=None, cost=None, charge=None)
    assert decide(Terms(policy=Policy()), unbounded, EMPTY, NOW) == Admitted()


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize(("holder", "scope"), list(zip(HOLDERS, SCOPES, strict=True)))
def test_limit_of_nothing_denies_in_every_scope(holder: tuple[str, ...], scope: Scope, limit: str) -> None:
    decision = decide(terms(holder, **{limit: 0}), ask(), EMPTY, NOW)
    assert isinstance(decision, Denied)
    assert (decision.code, decision.scope, decision.limit) == ("LEDGER-DENY-001", scope, limit)


@pytest.mark.parametrize("limit", ["tokens", "tokens_per_minute", "cost"])
@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"input_tokens": None, "charge": None}, {"cost": "no price in USD", "tokens": "an input reservation"}),
        ({"output_tokens": None, "charge": None}, {"cost": "max_tokens", "tokens": "max_tokens"}),
    ],
)
def test_call_that_nothing_bounds_is_denied_where_a_limit_needs_a_bound(
    limit: str, changes: dict[str, Any], told: dict[str, str]
) -> None:
    decision = decide(terms(("global",), **{limit: 10_000}), ask(**changes), EMPTY, NOW)
    assert isinstance(decision, Denied)
    assert decision.code == "LEDGER-UNBOUNDED-001"
    assert told[limit.removesuffix("_per_minute")] in decision.detail


def test_free_model_passes_a_limit_on_cost_that_is_used_up() -> None:
    state = with_state(GLOBAL, charge=Decimal(5))
    assert decide(terms(("global",), cost=5), ask(charge=Decimal(0)), state, NOW) == Admitted()


def test_limit_on_cost_needs_no_input_reservation() -> None:
    assert decide(terms(("global",), cost=1), ask(input_tokens=None), EMPTY, NOW) == Admitted()


@pytest.mark.parametrize(
    ("limit", "most", "state", "seconds"),
    [
        ("concurrency", 2, {"active": 2}, 1.0),
        ("requests_per_minute", 2, {"minute_requests": 2}, 15.0),
        ("tokens_per_minute", 200, {"minute_tokens": 51}, 15.0),
        ("requests", 2, {"requests": 2, "active": 1}, 1.0),
        ("tokens", 200, {"tokens": 51, "reserved_tokens": 1}, 1.0),
        ("cost", 1, {"charge": Decimal("0.51"), "reserved_charge": Decimal("0.01")}, 1.0),
    ],
)
def test_passing_shortage_defers(limit: str, most: int, state: dict[str, Any], seconds: float) -> None:
    decision = decide(terms(("global",), **{limit: most}), ask(), with_state(GLOBAL, **state), NOW)
    assert decision == Deferred(scope=GLOBAL, limit=limit, seconds=seconds)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("limit", "most", "state"),
    [
        ("requests", 2, {"requests": 2}),
        ("tokens", 200, {"tokens": 51}),
        ("tokens", 149, {}),
        ("cost", 1, {"charge": Decimal("0.5000000001")}),
    ],
)
def test_budget_that_is_settled_away_denies(limit: str, most: int, state: dict[str, Any]) -> None:
    decision = decide(terms(("global",), **{limit: most}), ask(), with_state(GLOBAL, **state), NOW)
    assert isinstance(decision, Denied)
    assert (decision.code, decision.limit) == ("LEDGER-BUDGET-001", limit)


def test_last_of_a_budget_is_admitted_to_the_cent() -> None:
    state = with_state(GLOBAL, charge=Decimal("0.5"))
    assert decide(terms(("global",), cost=1), ask(), state, NOW) == Admitted()


def test_call_larger_than_a_whole_minute_is_denied_instead_of_waiting_for_ever() -> None:
    decision = decide(terms(("global",), tokens_per_minute=149), ask(), EMPTY, NOW)
    assert isinstance(decision, Denied)
    assert decision.code == "LEDGER-OVERSIZE-001"


def test_denial_outweighs_a_shortage_and_the_longest_shortage_counts() -> None:
    policy = Policy.model_validate(
        {"global": {"concurrency": 1}, "provider": {"*": {"requests_per_minute": 1}}, "model": {"*": {"requests": 1}}}
    )
    states = {scope: ScopeState(active=1, requests=1, minute_requests=1) for scope in SCOPES}
    wait = decide(Terms(policy=policy), ask(), states, NOW)
    assert wait == Deferred(scope=Scope("provider", "cloud"), limit="requests_per_minute", seconds=15.0)
    ended = decide(Terms(policy=policy), ask(), {**states, SCOPES[2]: ScopeState(requests=1)}, NOW)
    assert isinstance(ended, Denied)


def test_named_limits_replace_those_of_everyone_as_a_whole() -> None:
    policy = Policy.model_validate({"model": {"*": {"concurrency": 1, "requests": 0}, "small": {"concurrency": 3}}})
    states = with_state(SCOPES[2], active=2)
    assert decide(Terms(policy=policy), ask(), states, NOW) == Admitted()


def test_tighter_of_policy_and_batch_counts() -> None:
    policy = Policy.model_validate({"batch": {"*": {"cost": "2", "requests": 9, "concurrency": 4}}})
    frozen = Terms(policy=policy, limits=BatchLimits(cost="10", requests=3))
    limits = frozen.effective_limits(SCOPES[3])
    assert (limits.cost, limits.requests, limits.concurrency, limits.tokens) == ("2", 3, 4, None)
    assert frozen.effective_limits(GLOBAL).requests is None


amounts = st.integers(0, 60).map(lambda n: Decimal(n) / 10)
limit_sets = st.fixed_dictionaries(
    {},
    optional={
        "concurrency": st.integers(0, 4),
        "requests_per_minute": st.integers(0, 6),
        "tokens_per_minute": st.integers(0, 60),
        "requests": st.integers(0, 8),
        "tokens": st.integers(0, 80),
        "cost": amounts.map(str),
    },
)
calls = st.builds(
    ask,
    input_tokens=st.one_of(st.none(), st.integers(0, 20)),
    output_tokens=st.one_of(st.none(), st.integers(0, 20)),
    charge=st.one_of(st.none(), amounts),
    provider=st.sampled_from(["cloud", "other"]),
    model_key=st.sampled_from(["small", "large"]),
)
steps = st.lists(st.one_of(calls, st.just("settle"), st.just("minute")), max_size=30)


@settings(max_examples=300)
@given(everything=limit_sets, provider=limit_sets, model=limit_sets, batch=limit_sets, history=steps)
def test_no_order_of_calls_and_settlements_ever_passes_a_limit(
    everything: Any, provider: Any, model: Any, batch: Any, history: list[Reservation | str]
) -> None:
    policy = Policy.model_validate(
        {"global": everything, "provider": {"*": provider}, "model": {"*": model}, "batch": {"*": batch}}
    )
    frozen = Terms(policy=policy, input_reservation=0)
    states: dict[Scope, ScopeState] = {}
    open_calls: list[Reservation] = []
    for step in history:
        if step == "minute":
            states = {s: replace(state, minute_requests=0, minute_tokens=0) for s, state in states.items()}
        elif isinstance(step, Reservation):
            here = {scope: states.get(scope, ScopeState()) for scope in step.scopes}
            decision = decide(frozen, step, here, NOW)
            if isinstance(decision, Admitted):
                states.update({scope: here[scope].after(step) for scope in step.scopes})
                open_calls.append(step)
            else:
                assert_reason_is_true(frozen, step, here, decision)
        elif open_calls:
            ended = open_calls.pop(0)
            states.update({scope: settled(states[scope], ended) for scope in ended.scopes})
        for scope, state in states.items():
            assert_within(frozen, scope, state)


def settled(state: ScopeState, ended: Reservation) -> ScopeState:
    """The state once an attempt has used all that it had reserved."""
    return replace(
        state,
        active=state.active - 1,
        reserved_tokens=state.reserved_tokens - ended.tokens,
        reserved_charge=state.reserved_charge - ended.reserved_charge,
    )


def assert_within(frozen: Terms, scope: Scope, state: ScopeState) -> None:
    kept: dict[LimitName, int | Decimal] = {
        "concurrency": state.active,
        "requests_per_minute": state.minute_requests,
        "tokens_per_minute": state.minute_tokens,
        "requests": state.requests,
        "tokens": state.tokens,
        "cost": state.charge,
    }
    for name, most in frozen.effective_limits(scope).given():
        assert kept[name] <= most, (scope, name)


def assert_reason_is_true(
    frozen: Terms, asked: Reservation, states: Mapping[Scope, ScopeState], told: Decision
) -> None:
    """A shortage has passed once what is open has ended with nothing used; a denial stands even then."""
    assert isinstance(told, Deferred | Denied)
    state = states[told.scope]
    free = ScopeState(
        requests=state.requests - state.active,
        tokens=state.tokens - state.reserved_tokens,
        charge=state.charge - state.reserved_charge,
    )
    later = decide(frozen, asked, {**states, told.scope: free}, NOW)
    if isinstance(told, Denied):
        assert later == told
    else:
        assert not (isinstance(later, Deferred | Denied) and (later.scope, later.limit) == (told.scope, told.limit))
