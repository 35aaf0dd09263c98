"""One worker process: takes slices on lease, runs them, renews its leases, and puts in order what dead ones left."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Sequence

from dataset.errors import GlassbenchError
from dataset.record import BatchId
from dataset.store.errors import StoreError
from dataset.store.leases import Lease
from dataset.store.lifecycle import standing_of
from dataset.store.queue import serve_tickets
from dataset.store.serving import hand_on, stop_on_drift, sweep, take_slice
from dataset.store.session import Database
from dataset.store.workers import beat, end_worker, register_worker
from engine.batches.held_slice import Held
from engine.batches.observer import Observer
from engine.batches.pace import USUAL, Pace
from engine.batches.process_identity import is_surely_dead, own_identity
from engine.batches.slice_service import SliceService
from engine.batches.worker_tally import Tally
from engine.telemetry.clock import SharedClock
from engine.telemetry.watch import UNWATCHED, Watch

FIRST_RECONNECT_SECONDS = 1.0
LAST_RECONNECT_SECONDS = 30.0
SLICES_AT_ONCE = 3
"""While the last runs of one slice are awaited, others fill the places; a model's concurrency holds for them all."""


class WorkerError(GlassbenchError):
    """A part of the worker that broke and is tried again."""

    code = "WORKER-HARNESS-001"


class Worker:
    """Serves tickets until told to stop.

    `only`: of these batches; None: of all there are. Stopping lets the runs in flight end and records them; `abort`
    ends them at once, and what was sent is settled conservatively.
    """

    def __init__(
        self,
        *,
        database: Database,
        service: SliceService,
        clock: SharedClock,
        observer: Observer,
        tally: Tally,
        only: Sequence[BatchId] | None = None,
        pace: Pace = USUAL,
        slices: int = SLICES_AT_ONCE,
        watch: Watch = UNWATCHED,
    ) -> None:
        self.generation = str(own_identity())
        self._database = database
        self._service = service
        self._clock = clock
        self._observer = observer
        self._only = only
        self._pace = pace
        self._slices = slices
        self._watcher = watch
        self._stop = asyncio.Event()
        self._held: dict[Lease, Held] = {}
        self._tally = tally
        self._check_due = 0.0

    def stop(self) -> None:
        """Takes no more slices and starts no more runs; those in flight end."""
        self._stop.set()

    def abort(self) -> None:
        """Ends the runs in flight, too."""
        self.stop()
        for held in self._held.values():
            held.cancel()

    async def run(self) -> None:
        """Returns when it was stopped and nothing is in flight any more."""
        await asyncio.to_thread(register_worker, self._database, self.generation, socket.gethostname())
        beside = [asyncio.create_task(self._watch()), asyncio.create_task(self._sweep())]
        try:
            await self._serve_tickets()
        finally:
            for task in beside:
                task.cancel()
            await asyncio.gather(*beside, return_exceptions=True)
            try:
                await self._beat(renewing=False)
                await asyncio.to_thread(end_worker, self._database, self.generation)
            except StoreError as error:
                self._observer.fault(error, None)

    async def _serve_tickets(self) -> None:
        pause = FIRST_RECONNECT_SECONDS
        while not self._stop.is_set():
            started = time.monotonic()
            try:
                await serve_tickets(
                    self._database,
                    self.serve,
                    batches=self._only,
                    concurrency=self._slices,
                    poll=self._pace.poll,
                    stop=self._stop,
                )
            except StoreError as error:
                self._observer.fault(error, None)
            if time.monotonic() - started > LAST_RECONNECT_SECONDS:
                pause = FIRST_RECONNECT_SECONDS
            await _wait(self._stop, pause)
            pause = min(2 * pause, LAST_RECONNECT_SECONDS)

    async def serve(self, batch_id: BatchId) -> None:
        """Takes a slice of the batch and runs it; returns when its lease is given back. Raises nothing of ours."""
        if self._stop.is_set():
            return
        try:
            if not self._service.can_serve(batch_id) and not await asyncio.to_thread(hand_on, self._database, batch_id):
                return
            work = await asyncio.to_thread(
                take_slice, self._database, batch_id, self.generation, lease_seconds=self._pace.lease
            )
        except StoreError as error:
            self._observer.fault(error, batch_id)
            return
        if work is None:
            return
        held = self._held[work.claim.lease] = Held(work=work, wish=work.control.wish, reason=work.control.reason)
        held.task = asyncio.create_task(self._service.serve(held, self._stop))
        try:
            await held.task
        finally:
            del self._held[work.claim.lease]
            self._tally.slice_served()

    async def _watch(self) -> None:
        """Renews leases, tells progress, and learns what is wanted; a lease that can't be renewed ends its work."""
        renewed = time.monotonic()
        while True:
            await asyncio.sleep(self._pace.watch)
            now = time.monotonic()
            renewing = now - renewed >= self._pace.heartbeat
            try:
                await self._beat(renewing=renewing)
                renewed = now if renewing else renewed
            except Exception as error:
                self._observer.fault(_ours(error, "the heartbeat"), None)
                if now - renewed >= self._pace.lease:
                    self._lose(set(self._held))

    async def _beat(self, *, renewing: bool) -> None:
        leases, told = list(self._held), self._tally.take()
        seconds = self._pace.lease if renewing else None
        if not leases and told is None:
            return
        try:
            found = await asyncio.to_thread(beat, self._database, self.generation, leases, told, lease_seconds=seconds)
        except StoreError:
            self._tally.put_back(told)
            raise
        self._clock.set(found.now)
        self._lose(set(leases) - found.held)
        if renewing and leases:
            self._watcher.renewed(len(found.held))
        for lease, held in self._held.items():
            if lease.batch_id in found.wishes:
                held.wish, held.reason = found.wishes[lease.batch_id]

    def _lose(self, leases: set[Lease]) -> None:
        for lease in leases & set(self._held):
            held = self._held[lease]
            if held.returning:
                continue
            if not held.lost:
                self._watcher.lost()
            held.lost = True
            held.cancel()

    async def _sweep(self) -> None:
        while True:
            try:
                swept = await asyncio.to_thread(sweep, self._database, is_surely_dead)
                self._tally.looked_for_work()
                if swept.expired or swept.released or swept.settled:
                    self._observer.swept(swept.expired, swept.released, swept.settled)
                await self._close_ended()
                await self._check_ledger()
            except Exception as error:
                self._observer.fault(_ours(error, "the sweep"), None)
            await asyncio.sleep(self._pace.sweep)

    async def _check_ledger(self) -> None:
        """Recomputes every total now and then; where one is wrong, no batch goes on."""
        now = time.monotonic()
        if now < self._check_due:
            return
        self._check_due = now + self._pace.ledger
        fault = await asyncio.to_thread(stop_on_drift, self._database)
        if fault is not None:
            self._observer.fault(fault, None)

    async def _close_ended(self) -> None:
        """Ends the connections of batches that are over."""
        in_hand = {lease.batch_id for lease in self._held}
        for batch_id in self._service.open_batches() - in_hand:
            _, ended = await asyncio.to_thread(standing_of, self._database, batch_id)
            if ended:
                await self._service.close_batch(batch_id)


def _ours(error: Exception, what: str) -> GlassbenchError:
    """An error that can be told; one of a library or of ours that nobody foresaw is named by its kind alone."""
    if isinstance(error, GlassbenchError):
        return error
    return WorkerError(f"{what} broke: {type(error).__name__}")


async def _wait(stop: asyncio.Event, seconds: float) -> None:
    """Waits, but no longer than until the event is set."""
    try:
        await asyncio.wait_for(stop.wait(), seconds)
    except TimeoutError:
        return
