"""`glassbench worker` as a process: what it serves, says, answers, and how it ends."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from dataset.record import BatchId
from dataset.store.batches import batch_counts
from dataset.store.lifecycle import start_batch
from dataset.store.session import Database
from engine.monitoring.log_fields import FIELDS
from tests.factories.command import Glassbench
from tests.factories.model_server import ModelServer, looks_then_answers, model_entry, response
from tests.factories.stored import assert_every_run_exactly_once, new_batch

MARKER = "-".join(("sk", "leak", "Jq9" * 8))


@dataclass
class Running:
    """A worker whose log is read line by line."""

    process: subprocess.Popen[str]
    told: list[dict[str, Any]] = field(default_factory=list)
    text: str = ""
    changed: threading.Condition = field(default_factory=threading.Condition)

    def read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            with self.changed:
                self.text += line
                with suppress(ValueError):
                    self.told.append(json.loads(line))
                self.changed.notify_all()

    def wait_for(self, event: str, *, count: int = 1, **values: Any) -> dict[str, Any]:
        """The `count`th line of this event with these values."""

        def found() -> dict[str, Any] | None:
            lines = [line for line in self.told if line["event"] == event and values.items() <= line.items()]
            return lines[count - 1] if len(lines) >= count else None

        with self.changed:
            line = self.changed.wait_for(found, timeout=60)
        assert line is not None, self.text[-3000:]
        return line

    def ask(self, path: str) -> tuple[int, str]:
        """Status and body of an answer."""
        port = self.wait_for("worker_started")["port"]
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()


@contextmanager
def running(command: Glassbench, *arguments: str) -> Iterator[Running]:
    """A worker; whatever happens, it is gone afterwards."""
    process = command.start("worker", "--metrics-port", "0", *arguments)
    found = Running(process)
    reader = threading.Thread(target=found.read, daemon=True)
    reader.start()
    try:
        yield found
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        reader.join()
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(looks_then_answers) as found:
        yield found


@pytest.fixture
def command(home: Path, bank_url: str, server: ModelServer) -> Glassbench:
    (home / "models.toml").write_text(model_entry("slow", server.url, concurrency=2))
    return Glassbench(home=home, database_url=bank_url)


def test_a_worker_serves_what_is_started_and_says_so_in_allow_listed_json(
    command: Glassbench, bank: Database, server: ModelServer
) -> None:
    batch_id = new_batch(bank, command.home, "served", template="tiny", models=["slow"])
    with running(command) as worker:
        assert worker.ask("/live") == (200, "live\n")
        assert worker.ask("/ready") == (200, "ready\n")
        start_batch(bank, batch_id, quantum=1, model_keys=[])
        worker.wait_for("batch_ended", batch_id="served")
        worker.wait_for("slice_served", count=2)  # the first that comes back may find every run recorded
        status, metrics = worker.ask("/metrics")
        assert status == 200
        assert 'glassbench_runs_recorded_total{verdict="fail"} 2.0' in metrics
        assert 'glassbench_attempts_settled_total{code="none",state="settled_actual"} 4.0' in metrics
        assert 'glassbench_slices_served_total{outcome="done"} 2.0' in metrics
        assert "glassbench_attempts_in_flight 0.0" in metrics
        assert 'glassbench_workers{state="live"} 1.0' in metrics
        worker.process.send_signal(signal.SIGTERM)
        assert worker.process.wait(60) == 0
        worker.wait_for("worker_stopped")
    events = [line["event"] for line in worker.told]
    assert (events[0], events[-2:]) == ("worker_started", ["worker_stopping", "worker_stopped"])
    assert sorted(events[1:-2]) == ["batch_ended", "slice_served", "slice_served"]
    assert all(set(line) <= {"event", "time", *FIELDS} for line in worker.told)
    assert len(worker.told) == len(worker.text.splitlines())
    assert_every_run_exactly_once(bank, command.home, batch_id, files=False)


def tells_secrets(path: str, body: Mapping[str, Any], headers: Mapping[str, str]) -> bytes:
    """Fails with the marker in every place that a server can put it."""
    told = {"error": {"message": MARKER, "type": MARKER, "code": MARKER}}
    return response(json.dumps(told).encode(), status=400)


def test_nothing_that_a_server_says_reaches_the_log_or_the_metrics(home: Path, bank: Database, bank_url: str) -> None:
    with ModelServer(tells_secrets) as server:
        (home / "models.toml").write_text(model_entry("leaky", server.url, concurrency=2))
        command = Glassbench(home=home, database_url=bank_url)
        batch_id = new_batch(bank, home, "leaky", template="tiny", models=["leaky"])
        start_batch(bank, batch_id, quantum=64, model_keys=[])
        with running(command) as worker:
            fault = worker.wait_for("fault", batch_id="leaky")
            worker.wait_for("slice_served", batch_id="leaky")
            _, metrics = worker.ask("/metrics")
    assert server.requests
    assert fault["code"].startswith("BATCH-MODEL")
    assert MARKER not in worker.text
    assert MARKER not in metrics
    assert 'glassbench_faults_total{class="model"}' in metrics


def test_a_stopping_worker_lives_but_is_not_ready(command: Glassbench, bank: Database, server: ModelServer) -> None:
    batch_id = new_batch(bank, command.home, "stopping", template="tiny", models=["slow"])
    start_batch(bank, batch_id, quantum=64, model_keys=[])
    server.gate.clear()
    with running(command) as worker:
        server.wait_until_opened(2)
        assert "glassbench_attempts_in_flight 2.0" in worker.ask("/metrics")[1]
        worker.process.send_signal(signal.SIGINT)
        worker.wait_for("worker_stopping")
        assert worker.ask("/ready") == (503, "the worker is stopping\n")
        assert worker.ask("/live") == (200, "live\n")
        server.gate.set()
        assert worker.process.wait(60) == 0
    assert batch_counts(bank, batch_id).recorded == 2


def test_a_worker_that_was_told_what_to_serve_leaves_the_rest(
    command: Glassbench, bank: Database, server: ModelServer
) -> None:
    wanted, other = (
        new_batch(bank, command.home, name, template="tiny", models=["slow"]) for name in ("wanted", "other")
    )
    for batch_id in (other, wanted):
        start_batch(bank, batch_id, quantum=64, model_keys=[])
    with running(command, "--batch", wanted) as worker:
        assert worker.wait_for("worker_started")["batch_ids"] == ["wanted"]
        worker.wait_for("batch_ended", batch_id="wanted")
    assert batch_counts(bank, BatchId(other)).recorded == 0


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--batch", "nothing"), "BATCH-UNKNOWN-001"),
        (("--lease-seconds", "0.1"), "WORKER-PACE-001"),
        (("--metrics-port", "0", "--metrics-host", "999.1.1.1"), "WORKER-PORT-001"),
    ],
)
def test_what_cannot_be_served_is_refused_before_anything_is_done(
    command: Glassbench, arguments: tuple[str, ...], code: str
) -> None:
    assert f"error [{code}]" in command.run("worker", *arguments, code=1).err
