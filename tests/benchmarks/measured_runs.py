"""A process that does nothing but the runs that are measured, or the same calls without Glassbench around them.

Started by `bench_runs`, told by one JSON argument what to do; prints a JSON line a trial and at last its peak memory.
"""

from __future__ import annotations

import asyncio
import cProfile
import json
import pstats
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Literal

import aiohttp

from dataset.record import BatchId
from dataset.store.session import Database, connect
from engine.providers.credential import EnvironmentCredentials
from engine.providers.factory import provider_for
from engine.providers.interface import AttemptGate, ModelReply, ModelRequest, Provider
from engine.providers.model_entry import ModelEntry
from engine.providers.openai_chat import OpenAIChatCodec
from engine.providers.registry import ModelRegistry
from tests.benchmarks.processor_time import Spent, measured, peak_mib
from tests.benchmarks.run_ground import CONCURRENCY, SHAPES, Shape, model_of
from tests.factories.finance import finance_batch, finance_executor
from tests.factories.loop import MemorySink
from tests.factories.stored import run_batch


@dataclass(frozen=True, kw_only=True)
class Order:
    """What is to be measured, by us or by the bare client: `stretches` of so many runs each, the first `uncounted` of
    them to warm up. `batches` names what they run, for us alone."""

    by: Literal["glassbench", "bare"]
    shape: Shape
    stretches: Sequence[int]
    uncounted: int
    batches: Sequence[str]
    url: str
    home: str
    postmaster: int
    server: int
    profile: bool = False


def main() -> None:
    """Does as it was told."""
    order = Order(**json.loads(sys.argv[1]))
    stretches = _batches(order) if order.by == "glassbench" else _bare_loops(order)
    for number, spent in enumerate(stretches):
        if number >= order.uncounted:
            print(json.dumps(asdict(spent)), flush=True)
    print(json.dumps({"peak_mib": peak_mib()}), flush=True)


def _batches(order: Order) -> Iterator[Spent]:
    """One batch a stretch, run to its end as `batch run` does it."""
    home = Path(order.home)
    with connect(order.url) as database:
        for number, (batch_id, runs) in enumerate(zip(order.batches, order.stretches, strict=True)):
            if order.profile and number >= order.uncounted:
                _profiled(database, home, BatchId(batch_id))
                return
            work = partial(run_batch, database, home, BatchId(batch_id))
            yield measured(work, runs=runs, postmaster=order.postmaster, server=order.server)


def _profiled(database: Database, home: Path, batch_id: BatchId) -> None:
    with cProfile.Profile() as profile:
        run_batch(database, home, batch_id)
    pstats.Stats(profile, stream=sys.stderr).sort_stats("tottime").print_stats(70)


def _bare_loops(order: Order) -> Iterator[Spent]:
    """The same requests over as many connections; each answer is read to its end and let go."""
    entry = ModelRegistry.load(Path(order.home)).entry(model_of(order.shape))
    bodies = asyncio.run(_bodies_of_one_run(entry, order.shape))
    for runs in order.stretches:
        work = partial(_post_all, entry, bodies, runs)
        yield measured(work, runs=runs, postmaster=order.postmaster, server=order.server)


def _post_all(entry: ModelEntry, bodies: Sequence[bytes], runs: int) -> None:
    asyncio.run(_post(entry, bodies, runs))


async def _post(entry: ModelEntry, bodies: Sequence[bytes], runs: int) -> None:
    waiting = iter(range(runs))
    headers = {"Content-Type": "application/json", "Accept": "text/event-stream"}
    connector = aiohttp.TCPConnector(limit=CONCURRENCY)
    async with aiohttp.ClientSession(connector=connector, headers=headers, auto_decompress=False) as session:

        async def ask() -> None:
            for _ in waiting:
                for body in bodies:
                    async with session.post(f"{entry.base_url}{OpenAIChatCodec.path}", data=body) as response:
                        await response.read()

        await asyncio.gather(*(ask() for _ in range(CONCURRENCY)))


async def _bodies_of_one_run(entry: ModelEntry, shape: Shape) -> list[bytes]:
    """The request bodies of a run, as the server gets them."""
    asked = _Overheard(provider_for(entry, {}, EnvironmentCredentials({}), len), entry)
    batch = finance_batch(models=[entry.freeze()])
    executor, plans = finance_executor(batch=batch, providers={entry.key: asked})
    plan = next(plan for plan in plans if plan.case_id == SHAPES[shape])
    await executor.execute(plan, 1, MemorySink())
    await asked.close()
    return asked.bodies


class _Overheard:
    def __init__(self, provider: Provider, entry: ModelEntry) -> None:
        self._provider = provider
        self._codec = OpenAIChatCodec(entry)
        self.bodies: list[bytes] = []

    async def complete(self, request: ModelRequest, gate: AttemptGate) -> ModelReply:
        self.bodies.append(self._codec.request_bytes(request, stream=True))
        return await self._provider.complete(request, gate)

    async def close(self) -> None:
        await self._provider.close()


if __name__ == "__main__":
    main()
