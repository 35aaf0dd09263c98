"""What a worker does with a slice in its hands: run it, and say by how that ended what becomes of slice and batch."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from contextlib import suppress

from dataset.artifacts.artifact import RunError
from dataset.errors import GlassbenchError
from dataset.measures.giving_up import ATTEMPTS_USED_UP, BUDGET_USED_UP, CANCELLED_BY_OWNER, GIVING_UP
from dataset.record import BatchId
from dataset.store.errors import StoreError
from dataset.store.leases import LeasedRun, StaleLeaseError
from dataset.store.lifecycle import BatchStateError, cancel_batch, pause_batch
from dataset.store.serving import return_slice
from dataset.store.session import Database
from engine.agent.loop import Halted
from engine.batches.batch_session import BatchSession
from engine.batches.breaker import Breaker, ModelUnreachableError
from engine.batches.held_slice import Held
from engine.batches.observer import Observer, Outcome
from engine.batches.slice_runner import HarnessError, SliceRunner
from engine.batches.worker_tally import Tally
from engine.providers.interface import AdmissionStoppedError
from engine.telemetry.assembly import Sealed
from engine.telemetry.journal import LoopJournal
from engine.telemetry.watch import UNWATCHED, Watch

PASSING = frozenset({"DB-CONN-001", "DB-CONN-002", "DB-BUSY-001", "DB-LIMIT-001", "DB-DISK-001"})
"""Codes of what is wrong with the server, whichever slice was served: no attempt of the slice is used up by them."""
Compose = Callable[[BatchId, bool], BatchSession]
"""Opens a batch, to ask its models (True) or to give its runs up (False). Called off the event loop."""


class SliceService:
    """Serves slices of any batch; what is open of a batch is shared by its slices."""

    def __init__(
        self,
        *,
        database: Database,
        journal: LoopJournal,
        compose: Compose,
        observer: Observer,
        tally: Tally,
        watch: Watch = UNWATCHED,
    ) -> None:
        self._database = database
        self._journal = journal
        self._compose = compose
        self._observer = observer
        self._tally = tally
        self._watch = watch
        self._sessions: dict[tuple[BatchId, bool], BatchSession] = {}
        self._opening = asyncio.Lock()
        self._refused: dict[BatchId, GlassbenchError] = {}

    def can_serve(self, batch_id: BatchId) -> bool:
        """Whether this process hasn't found out that it can't: a key that isn't here, a model that was changed."""
        return batch_id not in self._refused

    def open_batches(self) -> set[BatchId]:
        """The batches that connections are open for."""
        return {batch_id for batch_id, _ in self._sessions}

    async def serve(self, held: Held, stop: asyncio.Event) -> None:
        """Runs a slice and gives its lease back."""
        batch_id = held.work.claim.lease.batch_id
        try:
            session = await self._session(batch_id, asking=held.wish != "cancel")
        except GlassbenchError as error:
            self._refused[batch_id] = error
            self._observer.fault(error, batch_id)
            await self._return(held, None, None)
            return
        except asyncio.CancelledError:
            await self._return(held, None, None)
            return
        runner = self._runner(held, session, stop)
        fault: GlassbenchError | None = None
        try:
            await runner.run()
        except asyncio.CancelledError:
            pass  # by whoever stops this process, or because the lease is lost: either way the slice goes back
        except GlassbenchError as error:
            fault = error
        except Exception as error:
            cause = _innermost(error)
            fault = HarnessError(f"slice {held.work.claim.lease.number} of {batch_id}: {type(cause).__name__}")
            fault.__cause__ = cause
        await self._return(held, runner, fault)

    async def close_batch(self, batch_id: BatchId) -> None:
        """Ends the connections of a batch."""
        self._refused.pop(batch_id, None)
        gc.unfreeze()
        for asking in (True, False):
            session = self._sessions.pop((batch_id, asking), None)
            if session is not None:
                await session.close()

    async def close(self) -> None:
        """Ends every connection."""
        for batch_id in self.open_batches():
            await self.close_batch(batch_id)

    async def _session(self, batch_id: BatchId, *, asking: bool) -> BatchSession:
        async with self._opening:
            key = (batch_id, asking)
            if key not in self._sessions:
                self._sessions[key] = await asyncio.to_thread(self._compose, batch_id, asking)
                gc.freeze()  # a pack holds no garbage, so nobody needs to look through it again and again
            return self._sessions[key]

    def _runner(self, held: Held, session: BatchSession, stop: asyncio.Event) -> SliceRunner:
        batch_id = held.work.claim.lease.batch_id
        most, failures = session.terms.policy.slice_attempts, held.work.claim.failures

        def halted_of(run: LeasedRun) -> Halted:
            # Of a slice that failed so often in a row, only what was begun each time can be what breaks it.
            is_suspect = failures >= most and run.attempt > most

            def halted() -> RunError | None:
                if is_suspect:
                    return given_up(ATTEMPTS_USED_UP, held.work.claim.last_error)
                if runner.budget_used_up:
                    return given_up(BUDGET_USED_UP)
                return given_up(held.reason or CANCELLED_BY_OWNER) if held.wish == "cancel" else None

            return halted

        def recorded(sealed: Sealed) -> None:
            self._tally.run_recorded()
            self._observer.recorded(batch_id, sealed)

        runner = SliceRunner(
            session=session,
            journal=self._journal,
            lease=held.work.claim.lease,
            runs=held.work.runs,
            breaker=Breaker(session.answered, replayed=session.replayed),
            halted_of=halted_of,
            draining=lambda: stop.is_set() or held.wish in ("pause", "rest"),
            on_recorded=recorded,
            watch=self._watch,
        )
        return runner

    async def _return(self, held: Held, runner: SliceRunner | None, fault: GlassbenchError | None) -> None:
        """Gives the lease back. Where that can't be recorded, the lease expires and the slice is taken over."""
        held.returning = True
        batch_id = held.work.claim.lease.batch_id
        if held.lost or isinstance(fault, StaleLeaseError):
            self._observer.served(batch_id, "lost")
            return
        try:
            outcome, ended = await asyncio.to_thread(self._settle, held, runner, fault)
        except StoreError as error:
            self._observer.fault(error, batch_id)
            self._observer.served(batch_id, "lost")
            return
        if fault is not None:
            self._observer.fault(fault, batch_id)
        self._observer.served(batch_id, outcome)
        if ended:
            self._observer.ended(batch_id)

    def _settle(self, held: Held, runner: SliceRunner | None, fault: GlassbenchError | None) -> tuple[Outcome, bool]:
        """What becomes of slice and batch; the outcome, and whether the batch has ended."""
        lease, claim = held.work.claim.lease, held.work.claim
        progressed = runner is not None and runner.recorded > 0
        if runner is not None and runner.budget_used_up and held.wish == "run":
            with suppress(BatchStateError):  # a sweep may have ended it with the record of the last run
                cancel_batch(self._database, lease.batch_id, quantum=1, reason=BUDGET_USED_UP)
        if fault is None or runner is None:
            gave_up = runner is not None and runner.gave_up
            ended = return_slice(self._database, lease, progressed=progressed, gave_up=gave_up)
            done = runner is not None and runner.recorded == len(held.work.runs)
            return ("gave_up" if gave_up and done else "done" if done else "yielded"), ended
        if self._stops_the_batch(fault, claim.failures, runner, progressed=progressed):
            pause_batch(self._database, lease.batch_id, reason=fault.code, detail=fault.message)
            return "paused", return_slice(self._database, lease, progressed=True)
        counted = fault.code not in PASSING
        ended = return_slice(self._database, lease, failure=fault.code, progressed=progressed or not counted)
        return "failed", ended

    @staticmethod
    def _stops_the_batch(fault: GlassbenchError, failures: int, runner: SliceRunner, *, progressed: bool) -> bool:
        """Whether nobody should go on with the batch: a rule forbids it, or a model can't be asked for good."""
        attempts = runner.session.terms.policy.slice_attempts
        if isinstance(fault, AdmissionStoppedError):
            return True
        if not isinstance(fault, StoreError) and failures + 1 >= 2 * attempts and not progressed:
            return True  # not even giving the slice up succeeds
        if not isinstance(fault, ModelUnreachableError):
            return False
        last = failures + 1 >= attempts and not progressed
        return last or not fault.passing


def _innermost(error: Exception) -> Exception:
    """What broke, rather than the group that it broke in."""
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    return error


def given_up(code: str, last_error: str | None = None) -> RunError:
    """Why a run is recorded without having been asked to the end; KeyError for a code that is no such reason."""
    after = f" ({last_error})" if last_error else ""
    return RunError(code=code, message=f"{GIVING_UP[code]}{after}")
