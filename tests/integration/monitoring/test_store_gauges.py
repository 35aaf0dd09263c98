"""What the metrics say of the database, against real rows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry, generate_latest
from sqlalchemy import text

from dataset.record import BatchId
from dataset.store.errors import StoreError
from dataset.store.lifecycle import pause_batch, start_batch
from dataset.store.service_state import frozen_moment, ledger_is_sound, service_state
from dataset.store.session import Database, connect
from engine.ledger.policy import Policy, ScopeLimits
from engine.ledger.terms import BatchLimits
from engine.monitoring.store_gauges import StoreGauges, budget_use
from tests.factories.stored import new_batch, run_batch


def scraped(database: Database) -> dict[str, float]:
    """Sample by sample, without what stands around them; asked again until the ledger has been added up."""
    registry = CollectorRegistry()
    registry.register(StoreGauges(database))
    while True:
        lines = generate_latest(registry).decode().splitlines()
        found = {
            name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
        }
        if "glassbench_ledger_drift" in found or not found["glassbench_store_up"]:
            return found


@pytest.fixture
def batch_id(bank: Database, home: Path) -> BatchId:
    policy = Policy(backlog=7, everything=ScopeLimits(requests=1000))
    limits = BatchLimits(requests=100)
    return new_batch(bank, home, "counted", template="tiny", models=["scripted-careful"], policy=policy, limits=limits)


@pytest.fixture
def ran(bank: Database, home: Path, batch_id: BatchId) -> BatchId:
    run_batch(bank, home, batch_id)
    return batch_id


def test_an_empty_database_has_every_series_at_zero(bank: Database) -> None:
    found = scraped(bank)
    assert found.pop("glassbench_store_up") == 1
    assert "glassbench_backlog_limit" not in found
    assert {name for name in found if name.startswith("glassbench_batches")} == {
        f'glassbench_batches{{wish="{wish}"}}' for wish in ("rest", "run", "pause", "cancel")
    }
    assert all(value < 1 for value in found.values())


def test_batches_are_counted_by_what_is_wanted_until_they_have_ended(bank: Database, batch_id: BatchId) -> None:
    assert scraped(bank)['glassbench_batches{wish="rest"}'] == 1
    start_batch(bank, batch_id, quantum=1, model_keys=[])
    found = scraped(bank)
    assert (found['glassbench_batches{wish="run"}'], found['glassbench_slices{state="open"}']) == (1, 2)
    assert (found["glassbench_backlog_batches"], found["glassbench_backlog_limit"]) == (1, 7)
    pause_batch(bank, batch_id)
    assert scraped(bank)['glassbench_batches{wish="pause"}'] == 1


def test_a_batch_that_has_ended_counts_no_more_but_what_it_used_does(bank: Database, ran: BatchId) -> None:
    found = scraped(bank)
    assert found["glassbench_backlog_batches"] == 0
    assert found['glassbench_slices{state="done"}'] == 0
    assert found["glassbench_providers"] == 1
    assert found["glassbench_ledger_drift"] == 0
    assert not [name for name in found if name.startswith("glassbench_budget_used_ratio")]


def test_the_most_used_budget_is_shown_by_scope_and_limit(bank: Database, home: Path, ran: BatchId) -> None:
    limits = BatchLimits(requests=4)
    policy = Policy(everything=ScopeLimits(requests=1000))
    second = new_batch(bank, home, "second", template="tiny", models=["scripted-careful"], policy=policy, limits=limits)
    start_batch(bank, second, quantum=1, model_keys=[])
    with bank.transaction() as connection:
        used = connection.execute(text("SELECT requests FROM ledger_scope WHERE kind = 'global'")).scalar_one()
        connection.execute(text("INSERT INTO ledger_scope (kind, key, requests) VALUES ('batch', 'second', 3)"))
    assert budget_use(service_state(bank)) == {("global", "requests"): used / 1000, ("batch", "requests"): 0.75}


def test_a_total_that_drifted_is_told(bank: Database, ran: BatchId) -> None:
    with bank.transaction() as connection:
        connection.execute(text("UPDATE ledger_scope SET requests = requests + 1 WHERE kind = 'global'"))
    assert scraped(bank)["glassbench_ledger_drift"] == 1


def test_workers_are_live_then_stalled_then_gone(bank: Database) -> None:
    with bank.transaction() as connection:
        connection.execute(
            text(
                "INSERT INTO worker (generation, name, progress_at, stopped_at) SELECT g, g, clock_timestamp() - age, s"
                " FROM (VALUES ('a', interval '5 s', null), ('b', interval '2 min', null), ('c', interval '2 h', null),"
                " ('d', interval '5 s', clock_timestamp())) AS v (g, age, s)"
            )
        )
    found = scraped(bank)
    assert (found['glassbench_workers{state="live"}'], found['glassbench_workers{state="stalled"}']) == (1, 1)
    assert 5 <= found["glassbench_worker_oldest_progress_seconds"] < 60


def test_open_attempts_are_counted_by_state_and_age(bank: Database, ran: BatchId) -> None:
    left_open = """
        INSERT INTO provider_attempt (call_key, ordinal, batch_id, provider, model_key, policy_hash, request_digest,
            state, minute, reserved_at, sent_at)
        SELECT 'left' || n, 1, one.batch_id, one.provider, one.model_key, one.policy_hash, one.request_digest,
            v.state, one.minute, clock_timestamp() - age,
            CASE WHEN v.state = 'send_started' THEN clock_timestamp() - age END
        FROM (SELECT * FROM provider_attempt LIMIT 1) one, (VALUES
            (1, 'reserved', interval '10 s'),
            (2, 'send_started', interval '10 min'),
            (3, 'send_started', interval '2 h')) v (n, state, age)
    """
    with bank.transaction() as connection:
        connection.execute(text(left_open))
    found = scraped(bank)
    assert found['glassbench_open_attempts{age="1m",state="reserved"}'] == 1
    assert found['glassbench_open_attempts{age="30m",state="send_started"}'] == 1
    assert found['glassbench_open_attempts{age="older",state="send_started"}'] == 1
    assert 7200 <= found["glassbench_oldest_open_attempt_seconds"] < 7300


def test_no_label_names_a_batch_a_model_a_run_or_a_machine(bank: Database, ran: BatchId) -> None:
    start = new_batch(bank, Path("/nonexistent"), "other", template="tiny", models=["scripted-careless"])
    names = " ".join(scraped(bank))
    assert not re.search(f"{ran}|{start}|scripted|tiny", names)


def test_a_database_that_cannot_be_read_leaves_no_old_number_standing(bank_url: str) -> None:
    with connect(bank_url) as database:
        with database.transaction() as connection:
            connection.execute(text("ALTER TABLE worker RENAME TO worker_of_old"))
        assert scraped(database) == {"glassbench_store_up": 0}


def test_the_snapshot_writes_nothing_and_gives_up_when_it_is_slow(bank: Database) -> None:
    with pytest.raises(StoreError), frozen_moment(bank) as connection:
        connection.execute(text("UPDATE worker SET name = name"))
    with pytest.raises(StoreError), frozen_moment(bank, seconds=0.01) as connection:
        connection.execute(text("SELECT pg_sleep(30)"))
    assert ledger_is_sound(bank, seconds=10)
