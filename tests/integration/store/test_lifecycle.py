"""How a batch is steered and ends: each step one transaction, told in the audit trail."""

from __future__ import annotations

import json
from typing import Any

import pytest
from sqlalchemy import text

from dataset.record import BatchId, RunId
from dataset.store.batch_control import Control, active_batches, control_of
from dataset.store.batches import get_batch
from dataset.store.ledger import mark_sent
from dataset.store.lifecycle import BatchStateError, cancel_batch, pause_batch, retry_invalid, standing_of, start_batch
from dataset.store.planned import missing_runs
from dataset.store.queue import waiting_tickets
from dataset.store.serving import hand_on, return_slice, stop_on_drift, sweep, take_slice
from dataset.store.session import Database
from tests.factories.recording import record_artifact
from tests.integration.store.ledger_book import MODEL, admit, ask, force, open_book, row_of, totals
from tests.integration.store.packs import (
    B1,
    audit_kinds,
    record_slice,
    slice_row,
    start_served,
    take,
)
from tests.integration.store.packs import (
    start_batch as new_batch,
)


def start(database: Database, batch_id: BatchId = B1, *, quantum: int = 2) -> int:
    return start_batch(database, batch_id, quantum=quantum, model_keys=["small"])


def control(database: Database, batch_id: BatchId = B1) -> Control:
    with database.transaction() as connection:
        return control_of(connection, batch_id)


def tickets(database: Database, batch_id: BatchId = B1) -> int:
    with database.transaction() as connection:
        return waiting_tickets(connection, batch_id)


def ended(database: Database, batch_id: BatchId = B1) -> bool:
    return standing_of(database, batch_id)[1]


def told(database: Database, batch_id: BatchId = B1) -> list[str]:
    return [kind for kind in audit_kinds(database, batch_id) if kind != "batch_admitted"]


def payload(database: Database, kind: str) -> object:
    with database.transaction() as connection:
        found = connection.execute(text("SELECT payload FROM audit_event WHERE kind = :kind"), {"kind": kind})
        return json.loads(found.scalar_one())


def serve_all(database: Database, batch_id: BatchId = B1, **facts: Any) -> None:
    """Records every missing run as a worker would, slice by slice."""
    while (work := take_slice(database, batch_id, "w1", lease_seconds=60)) is not None:
        for run in work.runs:
            record_artifact(database, run.plan.run_id, **facts)
        return_slice(database, work.claim.lease)


def test_a_start_lays_out_slices_wakes_workers_and_is_told_once(database: Database) -> None:
    new_batch(database)
    assert (start(database), tickets(database), control(database).wish) == (3, 3, "run")
    assert (start(database), tickets(database)) == (3, 3)
    assert told(database) == ["batch_started"]
    assert payload(database, "batch_started") == {"slices": 3}


def test_a_wide_batch_has_no_more_tickets_than_lanes(database: Database) -> None:
    new_batch(database, repeats=4)
    assert (start(database, quantum=1), tickets(database)) == (24, 8)


def test_a_paused_batch_is_not_served_and_a_start_resumes_it(database: Database) -> None:
    start_served(database)
    assert pause_batch(database, B1) is True
    assert pause_batch(database, B1) is False
    assert tickets(database) == 0
    assert take_slice(database, B1, "w1", lease_seconds=60) is None
    sweep(database)
    assert tickets(database) == 0
    start(database)
    assert (control(database).wish, tickets(database)) == ("run", 3)
    assert told(database) == ["batch_started", "batch_paused", "batch_resumed"]


def test_a_rule_that_pauses_a_batch_leaves_its_code_and_what_it_saw(database: Database) -> None:
    start_served(database)
    pause_batch(database, B1, reason="BATCH-MODEL-002", detail="model small can't be asked")
    found = control(database)
    assert (found.wish, found.reason, found.detail) == (
        "pause",
        "BATCH-MODEL-002",
        "model small can't be asked",
    )
    assert payload(database, "batch_paused") == {"reason": "BATCH-MODEL-002"}
    start(database)
    assert control(database).reason is None


def test_a_batch_that_rests_is_not_paused(database: Database) -> None:
    new_batch(database)
    assert pause_batch(database, B1) is False
    assert (control(database).wish, told(database)) == ("rest", [])


def test_a_batch_ends_with_its_last_run_and_rests(database: Database) -> None:
    start_served(database)
    serve_all(database)
    assert ended(database)
    assert (control(database).wish, tickets(database)) == ("rest", 0)
    assert told(database) == ["batch_started", "batch_ended"]
    with database.transaction() as connection:
        assert active_batches(connection) == []


def test_a_started_batch_without_a_missing_run_ends_at_once(database: Database) -> None:
    """As after a crash between the last record and the end of the batch."""
    new_batch(database)
    for run in missing_runs(database, B1):
        record_artifact(database, run.run_id)
    assert start(database) == 0
    assert ended(database)
    assert tickets(database) == 0


def test_a_batch_whose_last_worker_died_after_its_last_record_is_ended_by_a_sweep(database: Database) -> None:
    start_served(database, quantum=6)
    record_slice(database, take(database, seconds=0).lease)
    sweep(database)
    assert ended(database)
    assert told(database) == ["batch_started", "lease_taken_over", "batch_ended"]


def test_starting_an_ended_batch_changes_nothing(database: Database) -> None:
    start_served(database)
    serve_all(database)
    row = get_batch(database, B1)
    assert start(database) == 0
    assert control(database).wish == "rest"
    assert told(database) == ["batch_started", "batch_ended"]
    assert get_batch(database, B1) == row


def test_a_cancelled_batch_is_served_until_nothing_is_missing_and_is_not_started_again(database: Database) -> None:
    new_batch(database)
    assert cancel_batch(database, B1, quantum=2) is True
    assert cancel_batch(database, B1, quantum=2) is False
    assert tickets(database) == 3
    with pytest.raises(BatchStateError) as caught:
        start(database)
    assert caught.value.code == "BATCH-CANCEL-002"
    assert pause_batch(database, B1) is False
    serve_all(database)
    assert ended(database)
    assert told(database) == ["batch_cancelled", "batch_ended"]
    with pytest.raises(BatchStateError) as late:
        cancel_batch(database, B1, quantum=2)
    assert late.value.code == "BATCH-ENDED-001"


def test_a_paused_batch_can_be_cancelled(database: Database) -> None:
    start_served(database)
    pause_batch(database, B1)
    assert cancel_batch(database, B1, quantum=2, reason="BATCH-BUDGET-001") is True
    work = take_slice(database, B1, "w1", lease_seconds=60)
    assert work is not None
    assert (work.control.wish, work.control.reason) == ("cancel", "BATCH-BUDGET-001")


def test_invalid_runs_of_an_ended_batch_are_planned_again_and_supersede(database: Database) -> None:
    start_served(database)
    with pytest.raises(BatchStateError) as caught:
        retry_invalid(database, B1)
    assert caught.value.code == "BATCH-RUNNING-001"
    for run in missing_runs(database, B1)[:2]:
        record_artifact(database, run.run_id, verdict="invalid", status="provider_failed")
    serve_all(database)
    assert retry_invalid(database, B1) == 2
    assert not ended(database)
    assert [run.run_id for run in missing_runs(database, B1)] == ["b1-0001-r2", "b1-0002-r2"]
    assert start(database) == 1
    work = take_slice(database, B1, "w1", lease_seconds=60)
    assert work is not None
    assert [(run.plan.run_id, run.attempt, run.supersedes) for run in work.runs] == [
        ("b1-0001-r2", 1, "b1-0001"),
        ("b1-0002-r2", 1, "b1-0002"),
    ]
    record_artifact(database, RunId("b1-0001-r2"))
    record_artifact(database, RunId("b1-0002-r2"), verdict="invalid", status="provider_failed")
    assert return_slice(database, work.claim.lease) is True
    assert retry_invalid(database, B1) == 1
    assert [run.run_id for run in missing_runs(database, B1)] == ["b1-0002-r3"]
    assert told(database).count("runs_retried") == 2


def test_a_batch_without_invalid_runs_is_not_retried(database: Database) -> None:
    start_served(database)
    serve_all(database)
    assert retry_invalid(database, B1) == 0
    assert ended(database)
    assert "runs_retried" not in told(database)


def test_a_slice_given_back_puts_its_batch_at_the_end_of_the_queue(database: Database) -> None:
    start_served(database, quantum=3)
    with database.transaction() as connection:
        connection.execute(text("DELETE FROM procrastinate_jobs"))
    assert return_slice(database, take(database).lease) is False
    assert tickets(database) == 1


def test_a_slice_that_failed_wakes_nobody_before_its_time(database: Database) -> None:
    start_served(database, quantum=6)
    with database.transaction() as connection:
        connection.execute(text("DELETE FROM procrastinate_jobs"))
    return_slice(database, take(database).lease, failure="X-1")
    sweep(database)
    assert tickets(database) == 0
    with database.transaction() as connection:
        connection.execute(text("UPDATE slice SET not_before = clock_timestamp()"))
    sweep(database)
    assert tickets(database) == 1


def test_a_slice_given_up_is_told_as_dead(database: Database) -> None:
    start_served(database, quantum=6)
    lease = take(database).lease
    record_slice(database, lease)
    assert return_slice(database, lease, gave_up=True) is True
    assert slice_row(database, lease).state == "dead"
    assert told(database) == ["batch_started", "slice_dead", "batch_ended"]


def test_a_lost_lease_gives_nothing_back_and_ends_nothing(database: Database) -> None:
    start_served(database, quantum=6)
    lease = take(database, seconds=0).lease
    sweep(database)
    before = slice_row(database, lease)
    assert return_slice(database, lease, failure="X-1") is False
    assert slice_row(database, lease) == before


def test_tickets_that_were_lost_are_made_again_by_a_sweep_and_never_too_many(database: Database) -> None:
    start_served(database, quantum=1)
    take(database)
    with database.transaction() as connection:
        connection.execute(text("DELETE FROM procrastinate_jobs"))
    for _ in range(3):
        sweep(database)
        assert tickets(database) == 5


def test_a_ticket_whose_worker_is_gone_is_removed(database: Database) -> None:
    start_served(database, quantum=6)
    with database.transaction() as connection:
        connection.execute(text("INSERT INTO procrastinate_workers DEFAULT VALUES"))
        connection.execute(
            text(
                "UPDATE procrastinate_jobs SET status = 'doing',"
                " worker_id = (SELECT max(id) FROM procrastinate_workers)"
            )
        )
    sweep(database)
    assert jobs(database) == ["doing", "todo"]
    with database.transaction() as connection:
        connection.execute(text("UPDATE procrastinate_workers SET last_heartbeat = now() - interval '31 seconds'"))
    sweep(database)
    assert jobs(database) == ["todo"]


def jobs(database: Database) -> list[str]:
    with database.transaction() as connection:
        return sorted(connection.execute(text("SELECT status::text FROM procrastinate_jobs")).scalars())


def test_the_tries_of_a_dead_worker_are_closed_with_its_lease(database: Database) -> None:
    open_book(database)
    start(database, quantum=6)
    lease = take(database, seconds=0).lease
    unsent, sent = admit(database, ask(1, lease_token=lease.token), ask(2, lease_token=lease.token))
    with database.transaction() as connection:
        mark_sent(connection, [sent])
    swept = sweep(database)
    assert (swept.expired, swept.released, swept.settled) == (1, 1, 1)
    assert (row_of(database, unsent).state, row_of(database, sent).state) == (
        "released_pre_send",
        "settled_conservative",
    )
    assert totals(database, MODEL)[:4] == (0, 1, 150, 0)
    assert told(database)[-1] == "lease_taken_over"
    assert payload(database, "lease_taken_over") == {"slice": 1, "token": lease.token, "owner": "w1"}
    swept = sweep(database)
    assert (swept.expired, swept.released, swept.settled) == (0, 0, 0)


def test_a_try_whose_end_was_lost_is_settled_by_a_sweep_although_its_slice_was_given_back(
    database: Database,
) -> None:
    open_book(database)
    start(database, quantum=6)
    lease = take(database).lease
    [sent] = admit(database, ask(1, lease_token=lease.token))
    with database.transaction() as connection:
        mark_sent(connection, [sent])
    return_slice(database, lease, failure="DB-CONN-002")
    assert sweep(database).settled == 0
    force(database, "UPDATE provider_attempt SET reserved_at = reserved_at - interval '61 seconds'")
    assert sweep(database).settled == 1
    assert totals(database, MODEL)[0] == 0


def test_a_drift_of_the_ledger_pauses_every_batch_that_runs(database: Database) -> None:
    open_book(database)
    new_batch(database, "b2")
    start(database)
    admit(database, ask(1))
    assert stop_on_drift(database) is None
    force(database, "UPDATE ledger_scope SET requests = requests + 1")
    fault = stop_on_drift(database)
    assert fault is not None
    assert (control(database).wish, control(database).reason) == ("pause", fault.code)
    assert control(database, BatchId("b2")).wish == "rest"


def test_the_least_recently_served_batch_is_first(database: Database) -> None:
    for name in ("huge", "small", "never"):
        start_served(database, name, quantum=1, repeats=1)
    take(database, BatchId("small"))
    take(database, BatchId("huge"))
    with database.transaction() as connection:
        assert active_batches(connection) == ["never", "small", "huge"]


def test_a_ticket_that_a_process_can_do_nothing_with_rests_and_is_left_to_others(database: Database) -> None:
    start_served(database)
    before = tickets(database)
    assert hand_on(database, B1) is False
    with database.transaction() as connection:
        rests = text("SELECT count(*) FROM procrastinate_jobs WHERE scheduled_at > clock_timestamp()")
        assert connection.execute(rests).scalar_one() == 1
    assert tickets(database) == before + 1
    cancel_batch(database, B1, quantum=2)
    assert hand_on(database, B1) is True, "giving runs up needs no key, so anyone can"
