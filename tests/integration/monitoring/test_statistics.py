"""What was done lately, against real rows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sqlalchemy import text

from dataset.record import BatchId, RunId
from dataset.store.batch_figures import batch_figures, revisions, wishes
from dataset.store.lifecycle import pause_batch, retry_invalid, start_batch
from dataset.store.session import Database
from dataset.store.statistics import batches_in_work, recent
from tests.factories.command import Glassbench
from tests.factories.stored import new_batch, run_batch


@pytest.fixture
def ran(bank: Database, home: Path) -> BatchId:
    batch_id = new_batch(bank, home, "ran", template="tiny", models=["scripted-careful"])
    run_batch(bank, home, batch_id)
    return batch_id


def execute(bank: Database, *statements: str) -> None:
    with bank.transaction() as connection:
        for statement in statements:
            connection.execute(text(statement))


def invalidate(bank: Database, run_id: str) -> None:
    """Makes a recorded run one that was given up, as far as the columns tell."""
    execute(
        bank,
        "ALTER TABLE artifact DISABLE TRIGGER USER",
        f"UPDATE artifact SET verdict = 'invalid', status = 'cancelled' WHERE run_id = '{run_id}'",
        "ALTER TABLE artifact ENABLE TRIGGER USER",
    )


def test_nothing_was_done_in_an_empty_database(bank: Database) -> None:
    with bank.transaction() as connection:
        found = recent(connection, 24)
        assert batches_in_work(connection) == []
    assert (found.recorded, found.calls, found.retries, found.runs_per_minute) == (0, 0, 0, None)
    assert (found.runs.sample, found.runs.p50, found.attempts.p99) == (0, None, None)


def test_runs_calls_and_durations_are_counted_with_their_samples(bank: Database, ran: BatchId) -> None:
    with bank.transaction() as connection:
        found = recent(connection, 24)
        planned = connection.execute(text("SELECT count(*) FROM run")).scalar_one()
        attempts = connection.execute(text("SELECT count(*) FROM provider_attempt")).scalar_one()
    assert (found.recorded, found.runs.sample, sum(found.verdicts.values())) == (planned, planned, planned)
    assert (found.calls, found.attempts.sample, found.retries) == (attempts, attempts, 0)
    assert found.runs.p50 is not None
    assert found.runs.p99 is not None
    assert 0 < found.runs.p50 <= found.runs.p99
    assert found.runs_per_minute == planned / found.busy_minutes


def test_what_is_older_than_the_window_is_not_counted(bank: Database, ran: BatchId) -> None:
    with bank.transaction() as connection:
        connection.execute(text("SELECT pg_sleep(0.01)"))
        assert recent(connection, 0.001 / 3600).recorded == 0


def test_a_run_that_was_given_up_has_no_share_in_speed_and_latency(bank: Database, ran: BatchId) -> None:
    invalidate(bank, f"{ran}-0001")
    with bank.transaction() as connection:
        found = recent(connection, 24)
    assert (found.given_up, found.verdicts["invalid"], found.runs.sample) == (1, 1, found.recorded - 1)
    assert found.runs_per_minute == (found.recorded - 1) / found.busy_minutes


def test_a_retry_is_another_attempt_of_the_same_call(bank: Database, ran: BatchId) -> None:
    again = """
        INSERT INTO provider_attempt (call_key, ordinal, batch_id, provider, model_key, policy_hash, request_digest,
            state, minute, sent_at, ended_at, status, code, actual_input, actual_output)
        SELECT call_key, 2, batch_id, provider, model_key, policy_hash, request_digest,
            state, minute, sent_at, ended_at, 429, 'rate_limited', 0, 0
        FROM provider_attempt LIMIT 1
    """
    execute(bank, again)
    with bank.transaction() as connection:
        found = recent(connection, 24)
    assert found.retries == 1
    assert [(f.code, f.status, f.attempts) for f in found.failures] == [("rate_limited", 429, 1)]


def test_a_batch_in_work_tells_how_far_it_is_and_about_how_long_it_takes(bank: Database, ran: BatchId) -> None:
    execute(
        bank,
        "INSERT INTO run (run_id, batch_id, position, case_id, variant_id, repeat, model_key)"
        " SELECT 'more-' || n, batch_id, 90 + n, case_id, variant_id, 90 + n, model_key"
        " FROM generate_series(1, 3) n, (SELECT * FROM run LIMIT 1) one",
        "UPDATE batch SET finished_at = NULL",
    )
    start_batch(bank, ran, quantum=1, model_keys=[])
    with bank.transaction() as connection:
        (found,) = batches_in_work(connection)
        assert wishes(connection) == {ran: ("run", None)}
    assert (found.planned - found.recorded, found.lately, found.wish) == (3, found.recorded, "run")
    assert found.seconds_left == pytest.approx(3 * found.span / found.lately)
    pause_batch(bank, ran, reason="BATCH-MODEL-002", detail="it doesn't answer")
    with bank.transaction() as connection:
        (found,) = batches_in_work(connection)
    assert (found.wish, found.reason, found.seconds_left) == ("pause", "BATCH-MODEL-002", None)


def test_a_run_that_was_planned_again_is_superseded_and_its_chain_is_told(bank: Database, ran: BatchId) -> None:
    invalidate(bank, f"{ran}-0001")
    assert retry_invalid(bank, ran) == 1
    with bank.transaction() as connection:
        assert batch_figures(connection, ran).superseded == {f"{ran}-0001"}
        for asked in (f"{ran}-0001", f"{ran}-0001-r2"):
            chain = revisions(connection, RunId(asked))
            assert [(r.run_id, r.verdict) for r in chain] == [(f"{ran}-0001", "invalid"), (f"{ran}-0001-r2", None)]
        assert [r.run_id for r in revisions(connection, RunId(f"{ran}-0002"))] == [f"{ran}-0002"]
        assert revisions(connection, RunId("nothing")) == []


def test_the_commands_say_why_a_batch_is_paused_and_what_is_left_of_its_limits(
    bank: Database, bank_url: str, home: Path
) -> None:
    command = Glassbench(home=home, database_url=bank_url)
    created = command.run(
        "batch",
        "create",
        "--template",
        "tiny",
        "--model",
        "scripted-careful",
        "--max-requests",
        "50",
        "--max-cost",
        "2",
    )
    batch_id = created.out.partition("created ")[2].split()[0]
    start_batch(bank, BatchId(batch_id), quantum=1, model_keys=[])
    assert "waiting for a worker" in command.run("batch", "status", batch_id).out
    pause_batch(bank, BatchId(batch_id), reason="BATCH-MODEL-002", detail="model m can't be asked: \x1b[2J")
    shown = command.run("batch", "status", batch_id).out
    assert f"{batch_id}: paused (BATCH-MODEL-002), 0 of 2 runs recorded" in shown
    assert "paused by the rule BATCH-MODEL-002: model m can't be asked: \\x1b[2J" in shown
    assert "→ mend the model's entry, its key or its server" in shown
    told = command.json("batch", "status", batch_id)
    assert (told["wish"], told["reason"], told["slices"]["open"]) == ("pause", "BATCH-MODEL-002", 2)
    assert [(found["limit"], found["most"], found["left"]) for found in told["limits"]] == [
        ("requests", "50", "50"),
        ("cost USD", "2", "2"),
    ]
    assert "paused (BATCH-MODEL-002)" in command.run("batch", "list").out
    command.run("batch", "run", batch_id)
    told = command.json("batch", "status", batch_id)
    (spent,) = told["spent"]
    assert (spent["role"], told["attempts"]["settled_actual"]) == ("candidate", spent["attempts"])
    assert told["limits"][0]["left"] == str(50 - spent["attempts"])
    stats = command.json("stats")
    assert (stats["recorded"], stats["run_seconds"]["sample"], stats["batches"]) == (2, 2, [])
    assert [(worker["state"], worker["runs_recorded"]) for worker in stats["workers"]] == [("stopped", 2)]
    printed = command.run("run", "show", f"{batch_id}-0001").out
    assert "Attempts in the ledger" in printed
    assert json.dumps(stats).count("sample") == 2


@pytest.mark.slow
def test_a_cancelled_batch_says_who_ended_it_and_a_retried_one_how_many_runs_are_tried_again(
    bank: Database, bank_url: str, home: Path
) -> None:
    command = Glassbench(home=home, database_url=bank_url)
    batch_id = new_batch(bank, home, "b1", template="tiny", models=["scripted-careful"])
    assert "--yes" in command.run("batch", "cancel", batch_id, code=1).err
    command.run("batch", "cancel", batch_id, "--yes")
    assert f"{batch_id}: cancelled by its owner" in command.run("batch", "status", batch_id).out
    assert "cancelled by its owner" in command.run("batch", "list").out
    for steering in ("pause", "resume"):
        assert f"{batch_id} is finished: nothing to do" in command.run("batch", steering, batch_id).out
    command.run("batch", "retry", batch_id, "--only", "invalid")
    assert f"{batch_id}: to be tried again: 2 runs" in command.run("batch", "status", batch_id).out
    assert "to be tried again: 2 runs" in command.run("batch", "list").out
