"""Tickets: signals in the queue library's tables, made and removed with what they tell of."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import text

from dataset.record import BatchId
from dataset.store.errors import StoreError
from dataset.store.queue import add_tickets, remove_tickets, serve_tickets, waiting_tickets
from dataset.store.session import Database

A, B = BatchId("a"), BatchId("b")


def add(database: Database, batch_id: BatchId, count: int = 1, *, in_seconds: float = 0) -> None:
    with database.transaction() as connection:
        add_tickets(connection, batch_id, count, in_seconds=in_seconds)


def waiting(database: Database, batch_id: BatchId) -> int:
    with database.transaction() as connection:
        return waiting_tickets(connection, batch_id)


def serve(
    database: Database, count: int, *, batches: list[BatchId] | None = None, concurrency: int = 1, again: bool = False
) -> list[BatchId]:
    """The batches of the first few tickets served, in their order; `again` puts each at the end of the queue."""

    async def work() -> list[BatchId]:
        served: list[BatchId] = []
        stop = asyncio.Event()

        async def one(batch_id: BatchId) -> None:
            served.append(batch_id)
            if again:
                await asyncio.to_thread(add, database, batch_id)
            if len(served) >= count:
                stop.set()

        async with asyncio.timeout(60):
            await serve_tickets(database, one, batches=batches, concurrency=concurrency, poll=0.1, stop=stop)
        return served

    return asyncio.run(work())


def test_tickets_are_gone_with_the_transaction_that_made_them(database: Database) -> None:
    with pytest.raises(RuntimeError), database.transaction() as connection:
        _add_and_break(connection)
    add(database, A, 3)
    add(database, A, 0)
    assert (waiting(database, A), waiting(database, B)) == (3, 0)


def _add_and_break(connection: object) -> None:
    add_tickets(connection, A, 2)  # type: ignore[arg-type]
    raise RuntimeError


def test_only_the_waiting_tickets_of_the_batch_are_removed(database: Database) -> None:
    add(database, A, 2)
    add(database, B, 1)
    with database.transaction() as connection:
        remove_tickets(connection, A)
    assert (waiting(database, A), waiting(database, B)) == (0, 1)


def test_served_tickets_leave_nothing_behind(database: Database) -> None:
    add(database, A, 3)
    assert serve(database, 3) == [A, A, A]
    with database.transaction() as connection:
        assert connection.execute(text("SELECT count(*) FROM procrastinate_jobs")).scalar_one() == 0


def test_a_worker_of_one_batch_leaves_the_tickets_of_others(database: Database) -> None:
    add(database, A, 2)
    add(database, B, 2)
    assert serve(database, 2, batches=[B]) == [B, B]
    assert waiting(database, A) == 2


def test_a_huge_batch_and_a_small_one_take_turns(database: Database) -> None:
    add(database, A)
    add(database, B)
    assert serve(database, 6, again=True) == [A, B, A, B, A, B]


def test_a_ticket_for_later_does_not_hold_up_one_for_now(database: Database) -> None:
    add(database, A, in_seconds=3600)
    add(database, B)
    assert serve(database, 1) == [B]
    assert waiting(database, A) == 1


def test_what_is_in_hand_ends_before_serving_does(database: Database) -> None:
    add(database, A, 2)

    async def work() -> list[str]:
        told: list[str] = []
        stop, begun, go_on = asyncio.Event(), asyncio.Event(), asyncio.Event()

        async def one(batch_id: BatchId) -> None:
            begun.set()
            await go_on.wait()
            told.append("ended")

        async with asyncio.timeout(60):
            serving = asyncio.create_task(
                serve_tickets(database, one, batches=None, concurrency=1, poll=0.1, stop=stop)
            )
            await begun.wait()
            stop.set()
            for _ in range(20):
                await asyncio.sleep(0)
            assert not serving.done()
            go_on.set()
            await serving
        return told

    assert asyncio.run(work()) == ["ended"]
    assert waiting(database, A) == 1


def test_a_server_that_goes_away_is_an_error_of_ours(database: Database) -> None:
    async def work() -> None:
        stop = asyncio.Event()

        async def never(batch_id: BatchId) -> None:
            raise AssertionError

        async with asyncio.timeout(60):
            serving = asyncio.create_task(
                serve_tickets(database, never, batches=None, concurrency=1, poll=0.05, stop=stop)
            )
            while not serving.done():
                await asyncio.to_thread(_end_every_session, database)
            await serving

    with pytest.raises(StoreError) as caught:
        asyncio.run(work())
    assert caught.value.code == "DB-CONN-002"


def _end_every_session(database: Database) -> None:
    with database.transaction() as connection:
        connection.execute(
            text(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        )
