"""Puts a worker together for one process: journal, clock, service, and the two signals that end it."""

from __future__ import annotations

import asyncio
import gc
import signal
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from dataset.record import BatchId
from dataset.store.ledger_writes import MarkSent, Reserve, Settle
from dataset.store.run_writes import AppendEvents, BeginAttempt, RecordArtifact
from dataset.store.session import Database
from engine.batches.composition import Composer
from engine.batches.observer import Observer
from engine.batches.pace import USUAL, Pace
from engine.batches.slice_service import SliceService
from engine.batches.worker import SLICES_AT_ONCE, Worker
from engine.batches.worker_tally import Tally
from engine.providers.credential import CredentialSource
from engine.providers.registry import ModelRegistry
from engine.telemetry.clock import SharedClock
from engine.telemetry.journal import LoopJournal
from engine.telemetry.watch import UNWATCHED, Watch

WRITE_ORDER = (BeginAttempt, Settle, Reserve, MarkSent, AppendEvents, RecordArtifact)
"""Within a group, what is over is settled before what comes next is reserved."""
YOUNG_OBJECTS = 10_000
"""How many new objects are looked through for cycles at once. Runs in flight hold thousands, which are freed without
that; looking as often as Python does by itself took 3 to 4 % of a run's processor time."""


@dataclass(frozen=True, kw_only=True)
class Ground:
    """What a worker stands on, whichever command started it."""

    database: Database
    registry: ModelRegistry
    credentials: CredentialSource
    home: Path


@asynccontextmanager
async def open_worker(
    ground: Ground,
    observer: Observer,
    *,
    only: Sequence[BatchId] | None = None,
    pace: Pace = USUAL,
    slices: int = SLICES_AT_ONCE,
    watch: Watch = UNWATCHED,
) -> AsyncIterator[Worker]:
    """A worker that is ready to run; at the end everything it wrote is durable and every connection closed."""
    clock = SharedClock(await asyncio.to_thread(ground.database.now))
    composer = Composer(database=ground.database, registry=ground.registry, credentials=ground.credentials, clock=clock)
    tally = Tally(watch.progressed)
    gc.set_threshold(YOUNG_OBJECTS)
    async with LoopJournal(ground.database, order=WRITE_ORDER, watch=watch) as journal:
        service = SliceService(
            database=ground.database,
            journal=journal,
            compose=composer.open,
            observer=observer,
            tally=tally,
            watch=watch,
        )
        worker = Worker(
            database=ground.database,
            service=service,
            clock=clock,
            observer=observer,
            tally=tally,
            only=only,
            pace=pace,
            slices=slices,
            watch=watch,
        )
        try:
            yield worker
        finally:
            await service.close()


@contextmanager
def two_signals(worker: Worker, told: Callable[[str], None]) -> Iterator[None]:
    """The first SIGINT or SIGTERM lets the runs in flight end, the second ends them at once."""
    loop = asyncio.get_running_loop()
    seen = 0

    def signalled() -> None:
        nonlocal seen
        seen += 1
        if seen == 1:
            told("stopping: runs in flight end first; once more ends them at once")
            worker.stop()
        else:
            worker.abort()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, signalled)
    try:
        yield
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
