"""Leases on slices: one holder at a time by the database's clock, under a token that only grows."""

from __future__ import annotations

import threading
import time
from datetime import timedelta

import pytest
from sqlalchemy import text

from dataset.record import BatchId
from dataset.store import lifecycle, serving
from dataset.store.leases import (
    Claim,
    Lease,
    SliceState,
    claim,
    give_back,
    held_leases,
    lay_out_slices,
    renew_within,
    runs_of,
    slice_states,
    take_away_expired,
    tokens_left_behind,
)
from dataset.store.planned import missing_runs
from dataset.store.session import Database
from tests.factories.recording import begin_attempt, record_artifact
from tests.integration.store.ledger_book import admit, ask, force, open_book
from tests.integration.store.packs import B1, record_slice, slice_row, start_batch, start_served, take


def held(database: Database, *leases: Lease) -> set[Lease]:
    with database.transaction() as connection:
        return held_leases(connection, leases)


def renew(database: Database, *leases: Lease, seconds: float = 60) -> frozenset[Lease]:
    with database.transaction() as connection:
        return renew_within(connection, leases, seconds)


def put_back(
    database: Database, lease: Lease, *, failure: str | None = None, progressed: bool = False, gave_up: bool = False
) -> SliceState | None:
    with database.transaction() as connection:
        return give_back(connection, lease, failure=failure, progressed=progressed, gave_up=gave_up)


def may_claim(database: Database, batch_id: BatchId = B1) -> Claim | None:
    with database.transaction() as connection:
        return claim(connection, batch_id, "w9", 60)


def make_due(database: Database) -> None:
    with database.transaction() as connection:
        connection.execute(text("UPDATE slice SET not_before = NULL"))


def test_slices_cover_every_position_once_and_the_last_may_be_shorter(database: Database) -> None:
    start_batch(database)
    with database.transaction() as connection:
        assert lay_out_slices(connection, B1, 4) == 2
        rows = connection.execute(text("SELECT first_position, last_position FROM slice ORDER BY number")).all()
    assert [tuple(row) for row in rows] == [(1, 4), (5, 6)]


def test_slices_are_laid_out_once_and_those_with_missing_runs_are_opened_again(database: Database) -> None:
    start_served(database)
    first = take(database).lease
    record_slice(database, first)
    assert put_back(database, first) == "done"
    second = take(database)
    put_back(database, second.lease, failure="X-1")
    with database.transaction() as connection:
        assert lay_out_slices(connection, B1, 1) == 2
        assert slice_states(connection, B1) == {"done": 1, "open": 2, "due": 2}
    assert take(database).failures == 0


def test_one_slice_is_leased_once_and_its_token_is_greater_than_any_before(database: Database) -> None:
    start_served(database, quantum=6)
    first = take(database, seconds=0)
    assert may_claim(database) is None
    with database.transaction() as connection:
        [expired] = take_away_expired(connection)
    assert (expired.lease, expired.owner, expired.failures) == (first.lease, "w1", 1)
    make_due(database)
    second = take(database, owner="w2")
    assert second.lease.number == first.lease.number
    assert second.lease.token > first.lease.token
    assert held(database, first.lease, second.lease) == {second.lease}


def test_of_many_workers_at_once_each_gets_a_slice_of_its_own(database: Database) -> None:
    start_served(database, quantum=1)
    got: list[Lease] = []

    def work(owner: str) -> None:
        got.append(take(database, owner=owner).lease)

    threads = [threading.Thread(target=work, args=(f"w{n}",)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(lease.number for lease in got) == [1, 2, 3, 4, 5, 6]
    assert len({lease.token for lease in got}) == 6


def test_steering_and_serving_a_batch_at_once_never_wait_for_each_other(database: Database) -> None:
    """Each of them holds the control row and slices; in different orders, some would be ended as deadlocks."""
    start_served(database, quantum=1, repeats=8)
    faults: list[Exception] = []
    deadline = time.monotonic() + 60

    def again(step: int) -> None:
        try:
            for _ in range(25):
                assert time.monotonic() < deadline
                _one_step(database, step)
        except Exception as error:
            faults.append(error)

    threads = [threading.Thread(target=again, args=(n % 3,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []


def _one_step(database: Database, step: int) -> None:
    from dataset.store.lifecycle import start_batch as start

    if step == 0:
        start(database, B1, quantum=1, model_keys=["small"])
    elif step == 1:
        work = serving.take_slice(database, B1, "w", lease_seconds=60)
        if work is not None:
            renew(database, work.claim.lease)
            serving.return_slice(database, work.claim.lease)
    else:
        serving.sweep(database)


def test_a_lease_holds_until_its_time_by_the_database_is_over_and_then_is_never_prolonged(database: Database) -> None:
    start_served(database)
    standing, over = take(database).lease, take(database, seconds=0).lease
    assert held(database, standing, over) == {standing}
    assert renew(database, standing, over) == {standing}
    assert held(database, standing, over) == {standing}


def test_a_renewal_counts_from_the_databases_now(database: Database) -> None:
    start_served(database)
    lease = take(database, seconds=5).lease
    before = database.now()
    assert renew(database, lease, seconds=600) == {lease}
    row = slice_row(database, lease)
    assert before + timedelta(seconds=600) <= row.lease_expires_at <= database.now() + timedelta(seconds=600)
    assert before <= row.heartbeat_at


def test_what_is_being_written_under_a_lease_keeps_it_from_being_taken_over(database: Database) -> None:
    start_served(database)
    lease = take(database).lease
    with database.transaction() as writing:
        assert held_leases(writing, [lease]) == {lease}
        with database.transaction() as sweeping:
            assert take_away_expired(sweeping, ["w1"]) == []
    with database.transaction() as sweeping:
        assert [found.lease for found in take_away_expired(sweeping, ["w1"])] == [lease]


def test_nothing_to_ask_for_is_nothing_held(database: Database) -> None:
    assert held(database) == set()
    assert renew(database) == frozenset()


@pytest.mark.parametrize(("leave", "gave_up", "state"), [(0, False, "done"), (0, True, "dead"), (1, True, "open")])
def test_a_slice_given_back_is_what_its_runs_say(
    database: Database, leave: int, gave_up: bool, state: SliceState
) -> None:
    start_served(database)
    lease = take(database).lease
    record_slice(database, lease, leave=leave)
    assert put_back(database, lease, gave_up=gave_up) == state
    assert slice_row(database, lease).lease_token is None
    assert put_back(database, lease) is None


def test_a_yield_is_no_failure_and_the_slice_may_be_had_at_once(database: Database) -> None:
    start_served(database, quantum=6)
    lease = take(database).lease
    assert put_back(database, lease) == "open"
    again = take(database)
    assert (again.failures, again.last_error) == (0, None)


def test_failures_add_up_with_a_doubled_wait_until_there_is_progress(database: Database) -> None:
    start_served(database, quantum=6)
    waits = []
    for _ in range(7):
        claimed = take(database)
        put_back(database, claimed.lease, failure="RUN-HARNESS-002")
        assert may_claim(database) is None
        row = slice_row(database, claimed.lease)
        waits.append(round((row.not_before - database.now()).total_seconds()))
        make_due(database)
    assert waits == pytest.approx([1, 2, 4, 8, 16, 30, 30], abs=1)
    claimed = take(database)
    assert (claimed.failures, claimed.last_error) == (7, "RUN-HARNESS-002")
    put_back(database, claimed.lease, failure="RUN-HARNESS-002", progressed=True)
    make_due(database)
    assert take(database).failures == 1


def test_a_slice_that_failed_is_tried_after_the_others(database: Database) -> None:
    start_served(database)
    first = take(database).lease
    put_back(database, first, failure="X-1")
    make_due(database)
    assert [take(database).lease.number for _ in range(3)] == [2, 3, 1]


def test_the_rest_given_up_keeps_the_failure_that_led_there(database: Database) -> None:
    start_served(database)
    put_back(database, take(database).lease, failure="X-1")
    make_due(database)
    with database.transaction() as connection:
        connection.execute(text("UPDATE slice SET state = 'done' WHERE number > 1"))
    lease = take(database).lease
    record_slice(database, lease)
    put_back(database, lease, gave_up=True)
    assert slice_row(database, lease).last_error == "X-1"


def test_a_worker_that_fell_silent_counts_as_a_failure_and_the_slice_waits(database: Database) -> None:
    start_served(database, quantum=6)
    lease = take(database, seconds=0).lease
    with database.transaction() as connection:
        take_away_expired(connection)
    row = slice_row(database, lease)
    assert (row.state, row.failures, row.last_error) == ("open", 1, "LEASE-EXPIRED-001")
    assert row.not_before > database.now() - timedelta(seconds=1)
    assert held(database, lease) == set()


def test_a_worker_that_recorded_something_before_it_fell_silent_starts_the_count_anew(database: Database) -> None:
    """Ten plugs pulled are ten takeovers, never a slice given up, as long as each time something got done."""
    open_book(database)
    with database.transaction() as connection:
        lay_out_slices(connection, B1, 6)
        connection.execute(text("UPDATE batch_control SET wish = 'run'"))
        connection.execute(text("UPDATE slice SET failures = 2"))
    lease = take(database, seconds=0).lease
    run_id = missing_runs(database, B1)[0].run_id
    admit(database, ask(run_id=run_id, lease_token=lease.token))
    record_artifact(database, run_id)
    with database.transaction() as connection:
        [found] = take_away_expired(connection)
    assert found.failures == 1


def test_a_lease_of_a_dead_owner_is_over_before_its_time(database: Database) -> None:
    start_served(database)
    dead, living = take(database, owner="dead").lease, take(database, owner="living").lease
    with database.transaction() as connection:
        assert [found.lease for found in take_away_expired(connection, ["dead", "nobody"])] == [dead]
    assert held(database, dead, living) == {living}


def test_only_a_batch_that_is_wanted_is_leased(database: Database) -> None:
    batch_id = start_served(database)
    assert may_claim(database) is not None
    lifecycle.pause_batch(database, batch_id)
    assert may_claim(database) is None
    assert may_claim(database, BatchId("nothing")) is None


def test_a_leased_run_carries_its_next_attempt_and_only_what_is_missing(database: Database) -> None:
    start_served(database, quantum=3)
    first, second, third = missing_runs(database, B1)[:3]
    record_artifact(database, first.run_id)
    begin_attempt(database, second.run_id)
    with database.transaction() as connection:
        found = runs_of(connection, take(database).lease)
    assert [(run.plan.run_id, run.attempt, run.supersedes) for run in found] == [
        (second.run_id, 2, None),
        (third.run_id, 1, None),
    ]


def test_tries_left_open_under_a_lease_that_was_given_back_are_found_once_no_end_can_come(database: Database) -> None:
    open_book(database)
    with database.transaction() as connection:
        lay_out_slices(connection, B1, 3)
        connection.execute(text("UPDATE batch_control SET wish = 'run'"))
    ended, running = take(database).lease, take(database).lease
    admit(database, ask(1, lease_token=ended.token), ask(2, lease_token=running.token), ask(3, lease_token=None))
    put_back(database, ended)
    with database.transaction() as connection:
        assert tokens_left_behind(connection, 60) == []
    force(database, "UPDATE provider_attempt SET reserved_at = reserved_at - interval '61 seconds'")
    with database.transaction() as connection:
        assert tokens_left_behind(connection, 60) == [ended.token]
