"""Worker rows: alive by what they have really done, and what a heartbeat brings back."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import text

from dataset.store.leases import take_away_expired
from dataset.store.lifecycle import cancel_batch, pause_batch
from dataset.store.session import Database
from dataset.store.workers import Progress, WorkerRow, beat, end_worker, list_workers, register_worker
from tests.integration.store.packs import B1, slice_row, start_served, take


def only(database: Database) -> WorkerRow:
    [row] = list_workers(database)
    return row


def age(database: Database, seconds: int, column: str = "progress_at") -> None:
    with database.transaction() as connection:
        connection.execute(text(f"UPDATE worker SET {column} = {column} - make_interval(secs => {seconds})"))


def test_progress_adds_up_and_moves_the_workers_time(database: Database) -> None:
    register_worker(database, "g1", "host")
    age(database, 50)
    before = only(database).progress_at
    beat(database, "g1", [], Progress(runs_recorded=3, slices_served=1), lease_seconds=None)
    beat(database, "g1", [], Progress(runs_recorded=2), lease_seconds=None)
    row = only(database)
    assert (row.name, row.runs_recorded, row.slices_served, row.live) == ("host", 5, 1, True)
    assert row.progress_at > before


def test_a_heartbeat_without_progress_keeps_nobody_alive(database: Database) -> None:
    register_worker(database, "g1", "host")
    age(database, 61)
    beat(database, "g1", [], None, lease_seconds=60)
    assert only(database).live is False
    beat(database, "g1", [], Progress(), lease_seconds=None)
    assert only(database).live is True


def test_a_worker_that_ended_in_order_is_not_live_and_is_listed_for_a_day(database: Database) -> None:
    register_worker(database, "g1", "host")
    end_worker(database, "g1")
    row = only(database)
    assert row.live is False
    assert row.stopped_at is not None
    age(database, 24 * 3600 + 1, "stopped_at")
    assert list_workers(database) == []


def test_a_heartbeat_renews_only_when_it_is_asked_to_and_tells_which_leases_hold(database: Database) -> None:
    start_served(database)
    register_worker(database, "w1", "host")
    kept, over = take(database, seconds=5).lease, take(database, seconds=0).lease
    before = slice_row(database, kept).lease_expires_at
    assert beat(database, "w1", [kept, over], None, lease_seconds=None).held == {kept, over}
    assert slice_row(database, kept).lease_expires_at == before
    found = beat(database, "w1", [kept, over], None, lease_seconds=600)
    assert found.held == {kept}
    assert slice_row(database, kept).lease_expires_at > before
    assert abs(found.now - database.now()) < timedelta(minutes=1)
    with database.transaction() as connection:
        take_away_expired(connection, ["w1"])
    assert beat(database, "w1", [kept], None, lease_seconds=600).held == set()


def test_a_heartbeat_brings_back_what_is_wanted_of_the_batches_in_hand(database: Database) -> None:
    start_served(database)
    start_served(database, "other")
    lease = take(database).lease
    assert beat(database, "w1", [lease], None, lease_seconds=None).wishes == {B1: ("run", None)}
    pause_batch(database, B1, reason="BATCH-MODEL-002")
    assert beat(database, "w1", [lease], None, lease_seconds=None).wishes == {B1: ("pause", "BATCH-MODEL-002")}
    cancel_batch(database, B1, quantum=2)
    assert beat(database, "w1", [lease], None, lease_seconds=None).wishes == {B1: ("cancel", None)}
