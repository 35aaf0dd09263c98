"""Watches one worker: counts what it does, tells it in the log, and knows whether it lives and may be given work."""

from __future__ import annotations

from collections import Counter, defaultdict

from prometheus_client import CollectorRegistry, Gauge, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from dataset.errors import GlassbenchError
from dataset.record import BatchId
from dataset.store.attempt import LimitName, ScopeKind
from dataset.store.session import Database, schema_status
from engine.batches.observer import Outcome
from engine.monitoring.liveness import Pulse
from engine.monitoring.meters import Meters
from engine.monitoring.probe_server import Answer, Answers
from engine.monitoring.single_flight import BusyError, SingleFlight
from engine.monitoring.store_gauges import StoreGauges
from engine.monitoring.worker_log import WorkerLog
from engine.providers.interface import ProviderErrorCode
from engine.telemetry.assembly import Sealed
from engine.telemetry.watch import SettledState

_READY_FRESH_SECONDS = 2.0
_READY_WAIT_SECONDS = 5.0


class WorkerMonitor:
    """An observer and a watch in one. Its answers are given from other threads than the loop's."""

    def __init__(self, database: Database, log: WorkerLog) -> None:
        self.log = log
        self.pulse = Pulse()
        self._registry = CollectorRegistry()
        self._meters = Meters(self._registry)
        text = "Seconds since this worker really did something; what /live judges by."
        Gauge("glassbench_progress_age_seconds", text, registry=self._registry).set_function(lambda: self.pulse.idle)
        self._registry.register(StoreGauges(database))
        self._schema = SingleFlight(
            lambda: schema_status(database), fresh=_READY_FRESH_SECONDS, wait=_READY_WAIT_SECONDS
        )
        self._verdicts: defaultdict[BatchId, Counter[str]] = defaultdict(Counter)

    @property
    def answers(self) -> Answers:
        """What the probe server answers."""
        return {"/metrics": self.metrics, "/live": self.live, "/ready": self.ready}

    def metrics(self) -> Answer:
        """Everything there is to measure, in Prometheus' text form."""
        return Answer(body=generate_latest(self._registry), content_type=CONTENT_TYPE_PLAIN_0_0_4)

    def live(self) -> Answer:
        """200 while this worker really does something, 503 with the reason otherwise."""
        found = self.pulse.liveness()
        return _answer(None if found.live else found.reason, good="live")

    def ready(self) -> Answer:
        """200 where the database answers with the schema of this program and the worker isn't stopping."""
        if self.pulse.draining:
            return _answer("the worker is stopping", good="")
        try:
            status = self._schema.get()
        except BusyError:
            return _answer(f"the database didn't answer within {_READY_WAIT_SECONDS:.0f} s", good="")
        except GlassbenchError as error:
            return _answer(f"the database can't be used ({error.code})", good="")
        wrong = None if status.state == "current" else f"the schema is {status.state}: see `glassbench db status`"
        return _answer(wrong, good="ready")

    def stopping(self) -> None:
        """The worker was told to stop."""
        self.pulse.draining = True
        self.log.tell("worker_stopping")

    # the observer

    def recorded(self, batch_id: BatchId, sealed: Sealed) -> None:
        """Counts a run; one that is invalid is told."""
        self._meters.run_recorded(sealed.verdict)
        self._verdicts[batch_id][sealed.verdict] += 1
        if sealed.verdict == "invalid":
            code = sealed.result.error.code if sealed.result.error else None
            self.log.tell(
                "run_invalid", level="warning", batch_id=batch_id, code=code, artifact_hash=sealed.artifact_hash
            )

    def served(self, batch_id: BatchId, outcome: Outcome) -> None:
        """Tells of a slice, with the runs that were recorded since the batch's last one."""
        self._meters.slice_served(outcome)
        verdicts = self._verdicts.pop(batch_id, Counter())
        lost = outcome == "lost"
        self.log.tell(
            "lease_lost" if lost else "slice_served",
            level="warning" if lost else "info",
            batch_id=batch_id,
            outcome=outcome,
            runs=verdicts.total(),
            **verdicts,
        )

    def swept(self, expired: int, released: int, settled: int) -> None:
        """Tells what dead workers had left."""
        self._meters.put_in_order(expired, released, settled)
        self.log.tell("put_in_order", level="warning", expired=expired, released=released, settled=settled)

    def fault(self, error: GlassbenchError, batch_id: BatchId | None) -> None:
        """Tells the code of a fault."""
        self._meters.fault(error.code)
        self.log.tell_seldom(
            "fault",
            level="error",
            code=error.code,
            error_type=type(error.__cause__ or error).__name__,
            batch_id=batch_id,
        )

    def ended(self, batch_id: BatchId) -> None:
        """Tells that every run of a batch is recorded."""
        self.log.tell("batch_ended", batch_id=batch_id)

    # the watch

    def progressed(self) -> None:
        """Something was really done."""
        self.pulse.progressed()

    def deferred(self, scope: ScopeKind, limit: LimitName) -> None:
        """A call has to wait."""
        self._meters.attempt_deferred(scope, limit)

    def sent(self) -> None:
        """A try is under way."""
        self._meters.attempt_sent()

    def settled(self, state: SettledState, code: ProviderErrorCode | None, *, was_sent: bool) -> None:
        """A try has ended."""
        self._meters.attempt_settled(state, code, was_sent=was_sent)

    def renewed(self, leases: int) -> None:
        """Leases were renewed."""
        self._meters.leases_renewed(leases)

    def lost(self) -> None:
        """A lease was lost."""
        self._meters.lease_lost()

    def committing(self) -> None:
        """A group is at its commit."""
        self.pulse.committing()

    def committed(self, writes: int, seconds: float, *, kept: bool) -> None:
        """A group has ended."""
        self.pulse.committed(kept=kept)
        self._meters.group_ended(writes, seconds, kept=kept)


def _answer(wrong: str | None, *, good: str) -> Answer:
    return Answer(status=200 if wrong is None else 503, body=f"{wrong or good}\n".encode())
