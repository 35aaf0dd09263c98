"""A whole worker process: slices in turn, leases renewed, and nothing lost when it is stopped."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from dataset.record import BatchId
from dataset.store.batches import get_batch
from dataset.store.lifecycle import LANES, standing_of
from dataset.store.session import Database
from dataset.store.workers import list_workers
from engine.batches.pace import Pace
from engine.batches.worker import Worker
from engine.batches.worker_process import open_worker
from engine.ledger.policy import Policy
from tests.factories.model_server import ModelServer, completion, model_entry
from tests.factories.stored import assert_every_run_exactly_once, ground, new_batch
from tests.integration.engine.serving import Told, start

QUICK = Pace(lease=30, heartbeat=10, watch=0.1, sweep=0.2, poll=0.1)


@asynccontextmanager
async def working(
    bank: Database, home: Path, *, pace: Pace = QUICK, slices: int = 1
) -> AsyncIterator[tuple[Worker, Told]]:
    """A worker of every batch that works until the block ends."""
    told = Told()
    async with open_worker(ground(bank, home), told, pace=pace, slices=slices) as worker:
        work = asyncio.create_task(worker.run())
        try:
            yield worker, told
        finally:
            worker.stop()
            await work


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(120):
        while not condition():
            await asyncio.sleep(0.02)


def has_ended(bank: Database, batch_id: BatchId) -> bool:
    """Whether the batch has ended, be it with the last slice or by a sweep that came first."""
    return standing_of(bank, batch_id)[1]


def test_a_huge_batch_does_not_keep_a_small_one_waiting(bank: Database, home: Path) -> None:
    policy = Policy.model_validate({"quantum": 1})
    for name, template in (("huge", "contrast"), ("small", "tiny")):
        start(bank, new_batch(bank, home, name, template=template, models=["scripted-careful"], policy=policy))

    async def work() -> list[BatchId]:
        async with working(bank, home) as (_, told):
            await until(lambda: has_ended(bank, BatchId("small")))
            return [batch_id for batch_id, _ in told.outcomes]

    order = asyncio.run(work())
    last = max(number for number, batch_id in enumerate(order) if batch_id == "small")
    assert last <= 2 * (LANES + 1), (
        "the small one waits for the tickets that stood before it, never for the whole batch"
    )
    assert get_batch(bank, BatchId("huge")).finished_at is None


def test_a_worker_tells_what_it_has_done_and_goes_in_order(bank: Database, home: Path) -> None:
    batch_id = new_batch(bank, home, "b1", template="tiny", models=["scripted-careful"])
    start(bank, batch_id)

    async def work() -> None:
        async with working(bank, home) as (worker, _):
            await until(lambda: has_ended(bank, batch_id))
            await until(lambda: list_workers(bank)[0].runs_recorded == 2)
            assert list_workers(bank)[0].generation == worker.generation
            assert list_workers(bank)[0].live

    asyncio.run(work())
    [row] = list_workers(bank)
    assert (row.live, row.slices_served) == (False, 1)
    assert row.stopped_at is not None
    assert_every_run_exactly_once(bank, home, batch_id, files=False)


def test_a_lease_shorter_than_its_slice_is_renewed_for_as_long_as_the_work_goes_on(bank: Database, home: Path) -> None:
    with ModelServer(lambda *_: completion("I can't say."), delay=0) as server:
        (home / "models.toml").write_text(model_entry("slow", server.url, concurrency=2))
        batch_id = new_batch(bank, home, "b1", template="tiny", models=["slow"])
        start(bank, batch_id)

        async def work() -> None:
            server.gate.clear()
            async with working(bank, home, pace=Pace.of_lease(1)) as (_, told):
                await asyncio.to_thread(server.wait_until_opened, 2)
                await asyncio.sleep(2.5)
                server.gate.set()
                await until(lambda: has_ended(bank, batch_id))
                await until(lambda: bool(told.outcomes))
                assert (told.outcomes, told.expired) == ([(batch_id, "done")], 0)

        asyncio.run(work())
    assert set(assert_every_run_exactly_once(bank, home, batch_id, files=False).values()) == {1}


def test_a_worker_that_falls_silent_is_taken_over_and_what_it_writes_later_is_refused(
    bank: Database, home: Path
) -> None:
    """The first one's heartbeat never comes, as if its machine had slept; both are there in the end."""
    silent = Pace(lease=1, heartbeat=3600, watch=3600, sweep=3600, poll=0.1)
    with ModelServer(lambda *_: completion("I can't say.")) as server:
        (home / "models.toml").write_text(model_entry("slow", server.url, concurrency=2))
        batch_id = new_batch(bank, home, "b1", template="tiny", models=["slow"])
        start(bank, batch_id)

        async def work() -> None:
            server.gate.clear()
            async with working(bank, home, pace=silent) as (_, first):
                await asyncio.to_thread(server.wait_until_opened, 2)
                async with working(bank, home, pace=Pace.of_lease(1)) as (_, second):
                    await asyncio.to_thread(server.wait_until_opened, 4)
                    server.gate.set()
                    await until(lambda: has_ended(bank, batch_id))
                    await until(lambda: bool(first.outcomes))
                assert (first.outcomes, first.runs) == ([(batch_id, "lost")], [])
                assert second.expired == 1

        asyncio.run(work())
    assert set(assert_every_run_exactly_once(bank, home, batch_id, files=False).values()) == {2}
