"""Gauges that the database is asked for when somebody scrapes: one snapshot at a time, and never a stale one.

Where the snapshot can't be had, `glassbench_store_up` is 0 and every other gauge is missing, rather than old.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from dataset.errors import GlassbenchError
from dataset.store.attempt import GLOBAL, LimitName, Scope, ScopeKind, ScopeState
from dataset.store.execution_tables import SLICE_STATES, WISHES
from dataset.store.service_state import AGES, OLDEST_AGE, ServiceState, ledger_is_sound, service_state
from dataset.store.session import Database
from engine.ledger.policy import LIFETIME_LIMITS, Policy
from engine.ledger.terms import Terms, TermsError
from engine.monitoring.single_flight import BusyError, SingleFlight

SNAPSHOT_SECONDS = 5.0
"""However often they are scraped, gauges are read from the database no more than once in this time."""
LEDGER_SECONDS = 300.0
"""The whole ledger is added up no more than once in this time; admission checks what it touches by itself."""
WAIT_SECONDS = 8.0
"""Below Prometheus' usual limit of 10 s for a scrape."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Checked:
    """What came of adding up the ledger, and when."""

    sound: bool
    at: float


class StoreGauges(Collector):
    """Everything that the metrics say of the database."""

    def __init__(self, database: Database) -> None:
        self._state = SingleFlight(lambda: service_state(database), fresh=SNAPSHOT_SECONDS, wait=WAIT_SECONDS)
        self._ledger = SingleFlight(lambda: _check(database), fresh=LEDGER_SECONDS, wait=0.5)

    def describe(self) -> Iterable[Metric]:
        """Nothing: registering must not ask the database."""
        return ()

    def collect(self) -> Iterator[Metric]:
        """The gauges of one snapshot."""
        try:
            state = self._state.get()
        except (GlassbenchError, BusyError):
            yield _gauge("store_up", "1 where the database could be read for this scrape.", 0)
            return
        yield _gauge("store_up", "1 where the database could be read for this scrape.", 1)
        yield from _gauges(state)
        yield from self._ledger_gauges()

    def _ledger_gauges(self) -> Iterator[Metric]:
        try:
            checked = self._ledger.get()
        except (GlassbenchError, BusyError):
            return
        yield _gauge("ledger_drift", "1 where a kept total isn't what the attempts add up to.", int(not checked.sound))
        age = time.monotonic() - checked.at
        yield _gauge("ledger_checked_age_seconds", "Seconds since the whole ledger was last added up.", age)


def _check(database: Database) -> _Checked:
    return _Checked(sound=ledger_is_sound(database, seconds=WAIT_SECONDS), at=time.monotonic())


def _gauges(state: ServiceState) -> Iterator[Metric]:
    yield _labelled("batches", "Unfinished batches, by what is wanted of them.", ("wish",), {
        (wish,): state.batches.get(wish, 0) for wish in WISHES
    })  # fmt: skip
    yield _labelled("slices", "Slices of unfinished batches, by state.", ("state",), {
        (name,): state.slices.get(name, 0) for name in SLICE_STATES
    })  # fmt: skip
    yield _labelled("workers", "Workers by state; one that has been silent for an hour is gone.", ("state",), {
        ("live",): state.live_workers, ("stalled",): state.stalled_workers
    })  # fmt: skip
    text = "Seconds since the longest silent live worker did something."
    yield _gauge("worker_oldest_progress_seconds", text, state.oldest_progress)
    yield _labelled("open_attempts", "Attempts that haven't ended, by state and age.", ("state", "age"), {
        (name, age): state.open_attempts.get((name, age), 0)
        for name in ("reserved", "send_started") for age in (*(age for age, _ in AGES), OLDEST_AGE)
    })  # fmt: skip
    yield _gauge("oldest_open_attempt_seconds", "Age of the oldest attempt that hasn't ended; 0 without any.",
                 state.oldest_open)  # fmt: skip
    yield _gauge("providers", "Providers that were ever asked.", state.providers)
    yield _gauge("backlog_batches", "Unfinished batches, which the backlog counts.", state.unfinished)
    if state.active_policy is not None:
        most = Policy.of_content(state.active_policy).backlog
        yield _gauge("backlog_limit", "Unfinished batches that the active policy allows.", most)
    yield _labelled(
        "budget_used_ratio",
        "The most used lifetime budget of unfinished batches, by scope and limit: settled and reserved, of 1.",
        ("scope", "limit"),
        {(scope, limit): ratio for (scope, limit), ratio in budget_use(state).items()},
    )


def budget_use(state: ServiceState) -> dict[tuple[ScopeKind, LimitName], float]:
    """How much of a lifetime budget is used, the most of its kind; a kind without a budget is missing."""
    found: dict[tuple[ScopeKind, LimitName], float] = {}
    shared = [scope for scope in state.scopes if scope.kind != "batch"] or [GLOBAL]
    for budget in state.budgets:
        try:
            terms = _terms(budget.batch_id, budget.terms)
        except TermsError:  # one batch that only another version reads mustn't hide the gauges of all
            continue
        for scope in (*shared, Scope("batch", budget.batch_id)):
            totals = state.scopes.get(scope, ScopeState())
            for limit, most in terms.effective_limits(scope).given():
                if most and limit in LIFETIME_LIMITS:
                    key = (scope.kind, limit)
                    found[key] = max(found.get(key, 0.0), _ratio(limit, totals, most))
    return found


def _ratio(limit: LimitName, totals: ScopeState, most: int | Decimal) -> float:
    used: dict[LimitName, int | Decimal] = {
        "requests": totals.requests,
        "tokens": totals.tokens,
        "cost": totals.charge,
    }
    return float(Decimal(used[limit]) / Decimal(most))


@lru_cache(maxsize=256)
def _terms(batch_id: str, content: bytes) -> Terms:
    return Terms.of_content(content, batch_id=batch_id)


def _gauge(name: str, text: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"glassbench_{name}", text, value=value)


def _labelled(name: str, text: str, labels: tuple[str, ...], values: dict[tuple[str, ...], float]) -> GaugeMetricFamily:
    family = GaugeMetricFamily(f"glassbench_{name}", text, labels=labels)
    for key, value in values.items():
        family.add_metric(key, value)
    return family
