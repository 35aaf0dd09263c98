"""A batch that is killed, stopped or loses its database at any moment is finished by the same command."""

from __future__ import annotations

import json
import os
import random
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from dataset.artifacts.digest import open_artifact
from dataset.measures.giving_up import ATTEMPTS_USED_UP
from dataset.record import BatchId, RunId
from dataset.store.batches import batch_counts
from dataset.store.embedded import ensure_running, status, stop
from dataset.store.planned import missing_runs
from dataset.store.runs import artifact_bytes, events
from dataset.store.session import Database, connect
from engine.ledger.policy import Policy
from engine.ledger.terms import BatchLimits
from tests.factories.command import Glassbench
from tests.factories.model_server import ModelServer, looks_then_answers, model_entry
from tests.factories.stored import assert_every_run_exactly_once, new_batch

CONCURRENCY = 4


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(looks_then_answers, delay=0.01) as running:
        yield running


@pytest.fixture
def command(home: Path, bank_url: str, server: ModelServer) -> Glassbench:
    (home / "models.toml").write_text(model_entry("slow", server.url, concurrency=CONCURRENCY))
    return Glassbench(home=home, database_url=bank_url)


def kill_midway(
    command: Glassbench, server: ModelServer, bank: Database, batch_id: BatchId, more: int, pause: float
) -> None:
    """Kills `batch run` after it has made `more` requests and recorded a run, and a pause.

    Without a recorded run the same ones would be begun again and again, and given up in the end, as they should be.
    """
    target, left = server.opened + more, len(missing_runs(bank, batch_id))
    process = command.start("batch", "run", batch_id)
    try:
        server.wait_until_opened(target)
        while len(missing_runs(bank, batch_id)) == left and process.poll() is None:
            time.sleep(0.005)
        time.sleep(pause)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    assert process.returncode == -signal.SIGKILL


def invalid_reason(bank: Database, run_id: RunId) -> str | None:
    """Why a recorded run is invalid; None where it isn't."""
    data = artifact_bytes(bank, run_id)
    assert data is not None
    return open_artifact(data, name=run_id).judgment.invalid_reason


def survive(kills: int, command: Glassbench, server: ModelServer, bank: Database) -> None:
    seed = secrets.randbits(32)
    print(f"seed {seed}")
    chance = random.Random(seed)
    number = killed = dead_attempts = 0
    while killed < kills:
        number += 1
        batch_id = new_batch(bank, command.home, f"killed-{number}", template="contrast", models=["slow"])
        left = planned = batch_counts(bank, batch_id).planned
        while killed < kills and left > 12:
            kill_midway(command, server, bank, batch_id, chance.randint(1, 3) + CONCURRENCY, chance.uniform(0, 0.03))
            killed += 1
            left = len(missing_runs(bank, batch_id))
            assert 0 < planned - left < planned, "the kill has to land in the middle"
        told = command.json("batch", "run", batch_id)
        assert (told["planned"], told["recorded"], told["passed"]) == (planned, planned, 0)
        assert told["failed"] + told["invalid"] == planned
        attempts = assert_every_run_exactly_once(bank, command.home, batch_id)
        begun = {run_id: {e.attempt for e in events(bank, run_id)} for run_id in attempts}
        given_up = [run_id for run_id in attempts if invalid_reason(bank, run_id) is not None]
        assert len(given_up) == told["invalid"]
        for run_id in given_up:  # what was killed whenever it was begun isn't begun for ever
            assert invalid_reason(bank, run_id) == ATTEMPTS_USED_UP
            assert len(begun[run_id]) >= 3
        dead_attempts += sum(len(begun[run_id] - {attempt}) for run_id, attempt in attempts.items())
    assert dead_attempts > 0, "what a killed attempt had done is still told"


def test_a_batch_killed_twice_finishes_with_every_run_exactly_once(
    command: Glassbench, server: ModelServer, bank: Database
) -> None:
    survive(2, command, server, bank)


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_a_batch_killed_fifty_times_finishes_with_every_run_exactly_once(
    command: Glassbench, server: ModelServer, bank: Database
) -> None:
    survive(50, command, server, bank)


def told(process: subprocess.Popen[str], wanted: str) -> str:
    """What the process has said when it has said that."""
    assert process.stderr is not None
    lines = []
    for line in process.stderr:
        lines.append(line)
        if wanted in line:
            return "".join(lines)
    raise AssertionError(f"it ended without saying {wanted!r}: {lines}")


def running_midway(command: Glassbench, server: ModelServer, batch_id: BatchId) -> subprocess.Popen[str]:
    """A `batch run` that has recorded some runs and waits for answers to others."""
    process = command.start("batch", "run", batch_id)
    server.wait_until_opened(CONCURRENCY + 2)
    server.gate.clear()
    return process


def test_ctrl_c_lets_the_runs_in_flight_end_and_names_the_command_that_goes_on(
    command: Glassbench, server: ModelServer, bank: Database
) -> None:
    batch_id = new_batch(bank, command.home, "stopped", template="english", models=["slow"])
    process = running_midway(command, server, batch_id)
    os.killpg(process.pid, signal.SIGINT)
    said = told(process, "stopping: runs in flight end first")
    server.gate.set()
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    done = batch_counts(bank, batch_id).recorded
    assert 0 < done < 20
    assert done == server.opened, "a run that was begun is ended, and none is begun after the signal"
    assert f"stopped: {done} of 20 runs are recorded; `glassbench batch run stopped` goes on" in err
    assert "Traceback" not in said + err
    command.run("batch", "run", batch_id)
    assert set(assert_every_run_exactly_once(bank, command.home, batch_id).values()) == {1}


@pytest.mark.slow
def test_a_second_ctrl_c_ends_the_runs_in_flight_at_once_and_they_are_done_again(
    command: Glassbench, server: ModelServer, bank: Database
) -> None:
    batch_id = new_batch(bank, command.home, "aborted", template="english", models=["slow"])
    process = running_midway(command, server, batch_id)
    os.killpg(process.pid, signal.SIGINT)
    told(process, "stopping: runs in flight end first")
    os.killpg(process.pid, signal.SIGTERM)
    _, err = process.communicate(timeout=60)
    server.gate.set()
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert batch_counts(bank, batch_id).recorded < server.opened
    command.run("batch", "run", batch_id)
    assert max(assert_every_run_exactly_once(bank, command.home, batch_id).values()) == 2


def test_two_processes_on_one_batch_share_it_and_ask_each_question_once(
    command: Glassbench, server: ModelServer, bank: Database
) -> None:
    policy = Policy.model_validate({"quantum": 2})
    batch_id = new_batch(bank, command.home, "shared", template="english", models=["slow"], policy=policy)
    server.gate.clear()
    both = [command.start("batch", "run", batch_id) for _ in range(2)]
    server.wait_until_opened(2 * CONCURRENCY)  # more than one process asks at once
    server.gate.set()
    for process in both:
        _, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
    assert server.opened == 20
    assert set(assert_every_run_exactly_once(bank, command.home, batch_id).values()) == {1}


def test_a_batch_paused_from_elsewhere_ends_its_runs_in_flight_and_says_why_it_stops(
    command: Glassbench, server: ModelServer, bank: Database
) -> None:
    batch_id = new_batch(bank, command.home, "paused", template="english", models=["slow"])
    process = running_midway(command, server, batch_id)
    assert "paused paused" in command.run("batch", "pause", batch_id).out
    server.delay = 1.0  # the process looks once a second what is wanted of its batch
    server.gate.set()
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1, err
    assert "error [BATCH-PAUSED-001]" in err
    assert batch_counts(bank, batch_id).recorded < 20
    server.delay = 0
    command.run("batch", "run", batch_id)
    assert set(assert_every_run_exactly_once(bank, command.home, batch_id).values()) == {1}


def test_a_batch_cancelled_by_its_owner_is_published_with_what_it_has(
    command: Glassbench, server: ModelServer, bank: Database, tmp_path: Path
) -> None:
    batch_id = new_batch(bank, command.home, "cancelled", template="lenient", models=["slow"])
    process = running_midway(command, server, batch_id)
    os.killpg(process.pid, signal.SIGTERM)
    told(process, "stopping: runs in flight end first")
    server.gate.set()
    process.communicate(timeout=60)
    done = batch_counts(bank, batch_id).recorded
    cancelled = command.run("batch", "cancel", batch_id, "--yes").out
    assert f"cancelled cancelled: 0 passed, {done} failed, {20 - done} invalid" in cancelled
    assert "error [BATCH-ENDED-001]" in command.run("batch", "cancel", batch_id, "--yes", code=1).err
    target = tmp_path / "showcase"
    assert command.json("publish", batch_id, "--to", target)["runs"] == 20
    assert command.json("verify", target)["differences"] == []


@pytest.mark.slow
def test_a_batch_whose_budget_is_used_up_ends_with_what_it_has_and_is_published(
    command: Glassbench, server: ModelServer, bank: Database, tmp_path: Path
) -> None:
    batch_id = new_batch(
        bank, command.home, "poor", template="lenient", models=["slow"], limits=BatchLimits(requests=9)
    )
    command.run("batch", "run", batch_id)
    assert len(server.requests) == 9
    counts = batch_counts(bank, batch_id)
    assert (counts.recorded, counts.passed + counts.failed) == (20, 4)
    target = tmp_path / "showcase"
    assert command.json("publish", batch_id, "--to", target)["runs"] == 20
    assert command.json("verify", target)["differences"] == []


@pytest.fixture
def embedded(server: ModelServer) -> Iterator[Glassbench]:
    """The command with an embedded server of its own, in a place that the server's account can reach as root too."""
    ground = Path(tempfile.mkdtemp(prefix="gb-", dir="/tmp"))
    ground.chmod(0o755)
    home, site = ground / "home", ground / "data" / "glassbench"
    home.mkdir(mode=0o755)
    (home / "models.toml").write_text(model_entry("slow", server.url, concurrency=CONCURRENCY))
    try:
        yield Glassbench(home=home, extra={"XDG_DATA_DIRS": str(ground / "data")})
    finally:
        stop(home, site_directory=site)
        shutil.rmtree(ground)


@pytest.mark.slow
def test_a_database_that_dies_in_the_middle_is_named_and_the_batch_goes_on_afterwards(
    embedded: Glassbench, server: ModelServer
) -> None:
    embedded.run("db", "upgrade")
    embedded.run("pack", "import", Path(__file__).parents[2] / "dataset" / "packs" / "finance")
    batch_id = embedded.json("batch", "create", "--template", "english", "--model", "slow")["batch_id"]
    process = embedded.start("batch", "run", batch_id)
    server.wait_until_opened(CONCURRENCY + 2)
    site = Path(embedded.extra["XDG_DATA_DIRS"]) / "glassbench"
    postmaster = status(embedded.home, site_directory=site).pid
    assert postmaster is not None
    server.gate.clear()
    os.kill(postmaster, signal.SIGKILL)
    server.gate.set()
    _, err = process.communicate(timeout=120)
    assert process.returncode == 1, err
    assert "Traceback" not in err
    assert "error [DB-CONN-00" in err
    assert err.count("error [") == 1
    found = embedded.json("batch", "status", batch_id)
    assert found["finished_at"] is None
    assert embedded.json("batch", "run", batch_id)["recorded"] == 20
    with connect(ensure_running(embedded.home, site_directory=site)) as database:
        assert_every_run_exactly_once(database, embedded.home, BatchId(batch_id))


def test_a_listener_sees_every_event_as_it_happens_and_ends_with_the_run(
    command: Glassbench, server: ModelServer, bank: Database
) -> None:
    batch_id = new_batch(bank, command.home, "followed", template="tiny", models=["slow"])
    run_id = missing_runs(bank, batch_id)[0].run_id
    listener: subprocess.Popen[str] = command.start("run", "events", run_id, "--follow", "--json")
    assert listener.stdout is not None
    command.run("batch", "run", batch_id)
    out, err = listener.communicate(timeout=60)
    assert listener.returncode == 0, err
    told = [json.loads(line) for line in out.splitlines()]
    assert [e["seq"] for e in told] == list(range(1, len(told) + 1))
    assert (told[0]["kind"], told[-1]["kind"]) == ("run_started", "run_finished")


@pytest.mark.slow
def test_a_batch_whose_key_is_not_here_can_be_cancelled_and_asks_nobody(
    command: Glassbench, server: ModelServer, bank: Database
) -> None:
    entry = model_entry("keyed", server.url, credential_env="A_KEY_THAT_IS_NOT_SET")
    (command.home / "models.toml").write_text(entry)
    batch_id = new_batch(bank, command.home, "keyless", template="tiny", models=["keyed"])
    assert command.error("batch", "run", batch_id)["code"].startswith(("MODEL-CRED", "PREFLIGHT"))
    assert command.json("batch", "cancel", batch_id, "--yes") == {
        "batch_id": batch_id, "planned": 2, "recorded": 2, "passed": 0, "failed": 0, "invalid": 2,
    }  # fmt: skip
    assert server.requests == []
    assert_every_run_exactly_once(bank, command.home, batch_id, files=False)
