"""Workers are killed at random, PostgreSQL is restarted; in the end every run is there once and every try is paid."""

from __future__ import annotations

import os
import random
import secrets
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from sqlalchemy import text

from dataset.record import BatchId
from dataset.store.errors import StoreError
from dataset.store.ledger_drift import drift
from dataset.store.lifecycle import standing_of, start_batch
from dataset.store.session import Database, connect
from engine.ledger.policy import Policy
from tests.chaos.comparison import differences, lasting
from tests.chaos.conftest import OwnServer
from tests.factories.command import Glassbench
from tests.factories.model_server import ModelServer, looks_then_answers, model_entry
from tests.factories.stored import assert_every_run_exactly_once, new_batch, run_batch, stored_artifacts

WORKERS = 3
CONCURRENCY = 4
MOST_AT_ONCE = 7
POLICY = Policy.model_validate(
    {
        "quantum": 8,
        "slice_attempts": 50,
        "global": {"concurrency": MOST_AT_ONCE},
        "batch": {"*": {"requests": 5_000, "tokens": 50_000_000}},
    }
)
OPEN_WORK = """
    SELECT s.lease_owner FROM slice s JOIN provider_attempt a ON a.lease_token = s.lease_token
    WHERE s.state = 'leased' AND a.state IN ('reserved', 'send_started') AND s.lease_owner LIKE :owner
"""
LEFT_BEHIND = """
    SELECT count(*) FROM provider_attempt a
    WHERE a.lease_token IN (
        SELECT lease_token FROM slice WHERE state = 'leased' AND lease_owner LIKE :owner
        UNION SELECT (convert_from(payload, 'UTF8')::jsonb ->> 'token')::bigint FROM audit_event
        WHERE kind = 'lease_taken_over' AND convert_from(payload, 'UTF8')::jsonb ->> 'owner' LIKE :owner)
    AND (a.state IN ('reserved', 'send_started') OR a.code IN ('never_sent', 'outcome_unknown'))
"""
"""Tries that a dead worker left open, or that were closed for it."""
MOST_OPEN = """
    SELECT max(at_once) FROM (
        SELECT sum(step) OVER (ORDER BY moment, step) AS at_once FROM (
            SELECT reserved_at AS moment, 1 AS step FROM provider_attempt
            UNION ALL SELECT ended_at, -1 FROM provider_attempt WHERE ended_at IS NOT NULL) AS edges) AS counted
"""


@dataclass
class Crew:
    """Three workers on one database, replaced as they die."""

    command: Glassbench
    running: list[subprocess.Popen[str]] = field(default_factory=list)

    def fill(self) -> None:
        for process in [process for process in self.running if process.poll() is not None]:
            self.running.remove(process)
            _, err = process.communicate()
            # One that was started while the server was away ends at once, and its supervisor starts another.
            assert process.returncode == -signal.SIGKILL or "DB-CONN-00" in err, err
        while len(self.running) < WORKERS:
            self.running.append(self.command.start("worker", "--lease-seconds", "5"))

    def kill_one_in_the_middle(self, database: Database, chance: random.Random) -> bool:
        """Kills a worker that has a try open; whether the kill landed there, as the ledger shows afterwards."""
        for process in chance.sample(self.running, len(self.running)):
            if _rows(database, OPEN_WORK, process):
                time.sleep(chance.uniform(0, 0.02))
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
                assert process.returncode == -signal.SIGKILL
                return bool(_rows(database, LEFT_BEHIND, process)[0][0])
        return False

    def stop(self) -> list[str]:
        """Ends them in order; what they wrote to stderr."""
        for process in self.running:
            process.terminate()
        return [process.communicate(timeout=60)[1] for process in self.running]


def _rows(database: Database, statement: str, process: subprocess.Popen[str]) -> list[tuple[object, ...]]:
    with database.transaction() as connection:
        found = connection.execute(text(statement), {"owner": f"%/{process.pid}/%"})
        return [tuple(row) for row in found]


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with ModelServer(looks_then_answers, delay=0.02) as running:
        yield running


def survive(kills: int, server: OwnServer, model: ModelServer, home: Path) -> None:
    seed = secrets.randbits(32)
    print(f"seed {seed}")
    chance = random.Random(seed)
    (home / "models.toml").write_text(model_entry("slow", model.url, concurrency=CONCURRENCY))
    url = server.start()
    crew = Crew(Glassbench(home=home, database_url=url))
    landed = number = restarts = 0
    with connect(url) as database:
        undisturbed = new_batch(database, home, "undisturbed", template="contrast", models=["slow"], policy=POLICY)
        run_batch(database, home, undisturbed)
        expected = lasting(stored_artifacts(database, undisturbed))
        try:
            while landed < kills:
                number += 1
                batch_id = _started(database, home, number)
                while landed < kills and not _ended(database, batch_id):
                    crew.fill()
                    landed += crew.kill_one_in_the_middle(database, chance)
                    if landed >= kills // 2 and not restarts:
                        restarts += 1
                        server.restart()
                    time.sleep(0.05)
                crew.fill()
                _wait_until_ended(database, batch_id)
                assert_every_run_exactly_once(database, home, batch_id, files=False)
                assert differences(lasting(stored_artifacts(database, batch_id)), expected) == []
        finally:
            told = crew.stop()
        assert landed == kills
        assert restarts == 1
        _check_the_ledger(database)
    assert not any("Traceback" in err for err in told), told


def _started(database: Database, home: Path, number: int) -> BatchId:
    batch_id = new_batch(database, home, f"killed-{number}", template="contrast", models=["slow"], policy=POLICY)
    start_batch(database, batch_id, quantum=POLICY.quantum, model_keys=["slow"])
    return batch_id


def _ended(database: Database, batch_id: BatchId) -> bool:
    try:
        return standing_of(database, batch_id)[1]
    except StoreError:  # in the middle of a restart
        return False


def _wait_until_ended(database: Database, batch_id: BatchId) -> None:
    for _ in range(1200):
        if _ended(database, batch_id):
            return
        time.sleep(0.1)
    raise AssertionError(f"{batch_id} stands still: {standing_of(database, batch_id)}")


def _check_the_ledger(database: Database) -> None:
    """Balanced, nothing open, and at no moment more than the policy allows."""
    with database.transaction() as connection:
        assert drift(connection) == []
        left = connection.execute(
            text("SELECT count(*) FROM provider_attempt WHERE state IN ('reserved', 'send_started')")
        )
        assert left.scalar_one() == 0
        assert connection.execute(text(MOST_OPEN)).scalar_one() <= MOST_AT_ONCE
        unpaid = connection.execute(
            text("SELECT count(*) FROM provider_attempt WHERE state LIKE 'settled%' AND sent_at IS NULL")
        )
        assert unpaid.scalar_one() == 0


def test_ten_killed_workers_leave_every_run_once_and_the_ledger_balanced(
    own_server: OwnServer, model: ModelServer, tmp_path: Path
) -> None:
    survive(10, own_server, model, tmp_path)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_fifty_killed_workers_leave_every_run_once_and_the_ledger_balanced(
    own_server: OwnServer, model: ModelServer, tmp_path: Path
) -> None:
    survive(50, own_server, model, tmp_path)
