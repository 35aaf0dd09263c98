"""What one worker counts, in a registry of its own. Every label is a closed set; none names a batch, model or run."""

from __future__ import annotations

from typing import Literal, get_args

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics

from dataset.artifacts.artifact import Verdict
from dataset.store.attempt import LimitName, ScopeKind
from engine.batches.observer import Outcome
from engine.providers.interface import ProviderErrorCode
from engine.telemetry.watch import SettledState

NO_CODE = "none"
FaultClass = Literal["database", "ledger", "lease", "batch", "model", "harness", "credential", "other"]
_FAULTS: dict[str, FaultClass] = {
    "DB": "database",
    "LEDGER": "ledger",
    "LEASE": "lease",
    "BATCH": "batch",
    "RUN": "harness",
    "CRED": "credential",
    "MODEL": "model",
}
_COMMIT_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30)
_GROUP_BUCKETS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


class Meters:
    """The counters. Each is there from the start, at 0, for every value that its labels can take on."""

    def __init__(self, registry: CollectorRegistry) -> None:
        # When a series began is told by its worker's start; told again with each series it would double the lines.
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self._runs = _counter(registry, "runs_recorded", "Runs recorded, by verdict.", "verdict")
        self._slices = _counter(registry, "slices_served", "Slices served, by how that ended.", "outcome")
        self._settled = _counter(
            registry, "attempts_settled", "Attempts that have ended, by ledger state and code.", "state", "code"
        )
        self._deferred = _counter(
            registry, "attempts_deferred", "Times that a call had to wait, by scope and limit.", "scope", "limit"
        )
        self._in_flight = Gauge("glassbench_attempts_in_flight", "Attempts under way here.", registry=registry)
        self._groups = _counter(registry, "journal_groups", "Groups of writes, kept or lost.", "outcome")
        self._group_writes = Histogram(
            "glassbench_journal_group_writes", "Writes a group.", buckets=_GROUP_BUCKETS, registry=registry
        )
        self._commit_seconds = Histogram(
            "glassbench_journal_commit_seconds",
            "Seconds from the first write of a group to the end of its commit.",
            buckets=_COMMIT_BUCKETS,
            registry=registry,
        )
        self._leases = _counter(registry, "leases", "Leases renewed, lost, and taken from dead workers.", "event")
        self._reconciled = _counter(
            registry, "attempts_reconciled", "Open attempts of dead workers that were closed.", "state"
        )
        self._faults = _counter(registry, "faults", "Faults that the worker went on after.", "class")
        self._show_zeros()

    def run_recorded(self, verdict: Verdict) -> None:
        """A run is recorded."""
        self._runs.labels(verdict).inc()

    def slice_served(self, outcome: Outcome) -> None:
        """A slice was served."""
        self._slices.labels(outcome).inc()

    def attempt_sent(self) -> None:
        """A try is under way."""
        self._in_flight.inc()

    def attempt_settled(self, state: SettledState, code: ProviderErrorCode | None, *, was_sent: bool) -> None:
        """A try has ended."""
        self._settled.labels(state, code or NO_CODE).inc()
        if was_sent:
            self._in_flight.dec()

    def attempt_deferred(self, scope: ScopeKind, limit: LimitName) -> None:
        """A call has to wait."""
        self._deferred.labels(scope, limit).inc()

    def group_ended(self, writes: int, seconds: float, *, kept: bool) -> None:
        """A group of writes has ended."""
        self._groups.labels("kept" if kept else "lost").inc()
        self._group_writes.observe(writes)
        self._commit_seconds.observe(seconds)

    def leases_renewed(self, count: int) -> None:
        """Leases were renewed."""
        self._leases.labels("renewed").inc(count)

    def lease_lost(self) -> None:
        """A lease was lost with its slice in hand."""
        self._leases.labels("lost").inc()

    def put_in_order(self, expired: int, released: int, settled: int) -> None:
        """What dead workers left was put in order."""
        self._leases.labels("taken_over").inc(expired)
        self._reconciled.labels("released_pre_send").inc(released)
        self._reconciled.labels("settled_conservative").inc(settled)

    def fault(self, code: str) -> None:
        """A fault, by the class of its code."""
        self._faults.labels(fault_class(code)).inc()

    def _show_zeros(self) -> None:
        for verdict in get_args(Verdict):
            self._runs.labels(verdict)
        for outcome in get_args(Outcome):
            self._slices.labels(outcome)
        for state in get_args(SettledState):
            self._settled.labels(state, NO_CODE)
        for event in ("renewed", "lost", "taken_over"):
            self._leases.labels(event)
        for kept in ("kept", "lost"):
            self._groups.labels(kept)
        for state in ("released_pre_send", "settled_conservative"):
            self._reconciled.labels(state)
        for kind in get_args(FaultClass):
            self._faults.labels(kind)


def fault_class(code: str) -> FaultClass:
    """What a stable code is about."""
    if code.startswith("BATCH-MODEL"):
        return "model"
    return _FAULTS.get(code.partition("-")[0], "other")


def _counter(registry: CollectorRegistry, name: str, text: str, *labels: str) -> Counter:
    return Counter(f"glassbench_{name}", text, labels, registry=registry)
