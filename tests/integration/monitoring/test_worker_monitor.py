"""Whether a worker lives and is ready, as it answers."""

from __future__ import annotations

import asyncio
import http.client
import io
import json
import time
from contextlib import closing

import pytest
from sqlalchemy import text

from dataset.errors import GlassbenchError
from dataset.record import BatchId
from dataset.store.session import Database, connect
from engine.batches.worker_tally import Tally
from engine.monitoring import worker_monitor as module
from engine.monitoring.liveness import Pulse
from engine.monitoring.probe_server import probe_server
from engine.monitoring.worker_log import WorkerLog
from engine.monitoring.worker_monitor import WorkerMonitor
from engine.telemetry.watch import Watch


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def stream() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def monitor(database: Database, stream: io.StringIO) -> WorkerMonitor:
    return WorkerMonitor(database, WorkerLog(stream, readable=False))


def told(monitor: WorkerMonitor, path: str) -> tuple[int, str]:
    answer = monitor.answers[path]()
    return answer.status, answer.body.decode()


def test_a_loop_that_hangs_is_told_while_it_hangs(monitor: WorkerMonitor) -> None:
    clock = Clock()
    monitor.pulse = Pulse(clock)
    found = []

    async def beats() -> None:
        tally = Tally(monitor.progressed)
        tally.looked_for_work()
        with probe_server("127.0.0.1", 0, monitor.answers) as place:
            for passing in (0.0, 100.0):
                clock.now += passing
                # On the loop's own thread and without giving it back: nothing else on the loop runs meanwhile.
                with closing(http.client.HTTPConnection(*place, timeout=30)) as connection:
                    connection.request("GET", "/live")
                    found.append(connection.getresponse().status)

    asyncio.run(beats())
    assert found == [200, 503]


def test_a_timer_that_goes_on_is_no_life(monitor: WorkerMonitor) -> None:
    clock = Clock()
    monitor.pulse = Pulse(clock)
    tally = Tally(monitor.progressed)
    for _ in range(100):
        clock.now += 1
        assert tally.take() is None
    assert told(monitor, "/live")[0] == 503
    tally.run_recorded()
    assert told(monitor, "/live") == (200, "live\n")


def test_a_worker_is_ready_with_the_schema_of_this_program_and_no_other(
    monitor: WorkerMonitor, database: Database, stream: io.StringIO
) -> None:
    assert told(monitor, "/ready") == (200, "ready\n")
    with database.transaction() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    later = WorkerMonitor(database, monitor.log)
    assert told(later, "/ready") == (503, "the schema is newer: see `glassbench db status`\n")


def test_a_database_that_is_away_is_told_by_its_code_alone(
    monitor: WorkerMonitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(database: Database) -> None:
        raise GlassbenchError("at secret.example.org", code="DB-CONN-001")

    monkeypatch.setattr(module, "schema_status", away)
    assert told(monitor, "/ready") == (503, "the database can't be used (DB-CONN-001)\n")


def test_a_database_that_does_not_answer_is_not_waited_for(
    database: Database, stream: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "schema_status", lambda _: time.sleep(30))
    monkeypatch.setattr(module, "_READY_WAIT_SECONDS", 0.01)
    monitor = WorkerMonitor(database, WorkerLog(stream, readable=False))
    assert told(monitor, "/ready") == (503, "the database didn't answer within 0 s\n")


def test_metrics_without_a_database_still_tell_what_the_worker_did(database_url: str, stream: io.StringIO) -> None:
    with connect(database_url) as database:
        monitor = WorkerMonitor(database, WorkerLog(stream, readable=False))
        monitor.deferred("model", "requests_per_minute")
        monitor.sent()
        monitor.settled("settled_conservative", "read_timeout", was_sent=True)
        monitor.settled("released_pre_send", None, was_sent=False)
        monitor.renewed(3)
        monitor.lost()
        monitor.committed(12, 0.02, kept=True)
        monitor.committed(1, 0.5, kept=False)
        monitor.swept(1, 2, 3)
        monitor.fault(GlassbenchError("whatever", code="DB-CONN-002"), None)
        with database.transaction() as connection:
            connection.execute(text("DROP TABLE worker"))
        found = told(monitor, "/metrics")[1]
    for line in (
        'glassbench_attempts_deferred_total{limit="requests_per_minute",scope="model"} 1.0',
        "glassbench_attempts_in_flight 0.0",
        'glassbench_attempts_settled_total{code="read_timeout",state="settled_conservative"} 1.0',
        'glassbench_attempts_settled_total{code="none",state="released_pre_send"} 1.0',
        'glassbench_leases_total{event="renewed"} 3.0',
        'glassbench_leases_total{event="lost"} 1.0',
        'glassbench_leases_total{event="taken_over"} 1.0',
        'glassbench_journal_groups_total{outcome="kept"} 1.0',
        'glassbench_journal_groups_total{outcome="lost"} 1.0',
        'glassbench_journal_group_writes_bucket{le="20.0"} 2.0',
        'glassbench_attempts_reconciled_total{state="settled_conservative"} 3.0',
        'glassbench_faults_total{class="database"} 1.0',
        "glassbench_store_up 0.0",
    ):
        assert line in found.splitlines()
    assert "glassbench_batches{" not in found


def test_faults_are_told_by_code_and_never_by_what_they_say(monitor: WorkerMonitor, stream: io.StringIO) -> None:
    marker = "-".join(("sk", "fault", "Wm4" * 8))
    monitor.fault(GlassbenchError(marker, hint=marker, code="RUN-HARNESS-002"), BatchId(f"{marker} x"))
    monitor.fault(GlassbenchError(marker, code=marker), BatchId("b"))
    assert marker not in stream.getvalue()
    first, second = (json.loads(line) for line in stream.getvalue().splitlines())
    assert (first["code"], "batch_id" in first) == ("RUN-HARNESS-002", False)
    assert (second["batch_id"], "code" in second) == ("b", False)


def test_a_fault_that_something_else_caused_is_told_by_its_cause(monitor: WorkerMonitor, stream: io.StringIO) -> None:
    error = GlassbenchError("slice 1", code="RUN-HARNESS-002")
    error.__cause__ = KeyError("whatever")
    monitor.fault(error, BatchId("b"))
    assert json.loads(stream.getvalue())["error_type"] == "KeyError"


def test_the_monitor_is_a_watch(monitor: WorkerMonitor) -> None:
    watch: Watch = monitor
    watch.committing()
    assert monitor.pulse.liveness().live
