"""A worker in the owner's own process: serves one batch until it has ended, pauses, or the owner stops it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from contextlib import suppress

from dataset.console import counted
from dataset.errors import GlassbenchError
from dataset.record import BatchId
from dataset.store.batch_control import Control
from dataset.store.batches import BatchRow
from dataset.store.errors import StoreError
from dataset.store.lifecycle import standing_of, start_batch
from dataset.store.session import Database
from engine.batches.batch_terms import frozen_terms
from engine.batches.breaker import ModelUnreachableError
from engine.batches.observer import Outcome
from engine.batches.progress import BatchTally, batch_progress
from engine.batches.run_files import restore_run_files
from engine.batches.slice_runner import HarnessError
from engine.batches.worker import Worker
from engine.batches.worker_process import Ground, open_worker, two_signals
from engine.monitoring.worker_log import silent_libraries
from engine.telemetry.assembly import Sealed

LOOK_SECONDS = 1.0


class BatchPausedError(GlassbenchError):
    """The batch was paused before every run was recorded: by its owner, or by a rule whose code the message names."""

    code = "BATCH-PAUSED-001"


class StoppedByOwnerError(Exception):
    """The owner stopped this process; the batch goes on wherever else it is served."""


class Foreground:
    """Watches the worker of one batch. Faults that nothing here mends end it, a lost server among them: the owner is
    there to see it. (A worker by itself waits for its server.)"""

    def __init__(self, database: Database, batch_id: BatchId, recorded: Callable[[Sealed], None]) -> None:
        self._database = database
        self._batch_id = batch_id
        self._recorded = recorded
        self._changed = asyncio.Event()
        self._fatal: GlassbenchError | None = None

    def recorded(self, batch_id: BatchId, sealed: Sealed) -> None:
        """Shows a recorded run."""
        self._recorded(sealed)

    def served(self, batch_id: BatchId, outcome: Outcome) -> None:
        """Looks at once how the batch stands."""
        self._changed.set()

    def swept(self, expired: int, released: int, settled: int) -> None:
        """Says what was put in order."""
        left = f"{counted(expired, 'lease')}, {counted(released + settled, 'open call')}"
        print(f"put in order what dead workers left: {left}", file=sys.stderr)

    def fault(self, error: GlassbenchError, batch_id: BatchId | None) -> None:
        """Says what went wrong; what can't be waited out ends this process."""
        if _passes(error):
            print(f"{error.code}: {error.message}; trying again", file=sys.stderr)
            return
        self._fatal = self._fatal or error
        self._changed.set()

    def ended(self, batch_id: BatchId) -> None:
        """Looks at once how the batch stands."""
        self._changed.set()

    async def run(self, ground: Ground) -> None:
        """Returns when the batch has ended.

        BatchPausedError; StoppedByOwnerError; the fault that nothing here mends.
        """
        async with open_worker(ground, self, only=[self._batch_id]) as worker:
            with two_signals(worker, lambda text: print(text, file=sys.stderr)):
                work = asyncio.create_task(worker.run())
                try:
                    standing = await self._until_over(worker, work)
                finally:
                    worker.stop()
                    if self._fatal is not None:
                        worker.abort()
                    await work
        if standing is not None and standing[1]:
            return
        if self._fatal is not None:
            raise self._fatal
        if standing is not None and standing[0].wish == "pause":
            raise _paused(self._batch_id, standing[0])
        raise StoppedByOwnerError

    async def _until_over(self, worker: Worker, work: asyncio.Task[None]) -> tuple[Control, bool] | None:
        """How the batch stands when there is nothing more for this process to do; None where the server is lost."""
        while True:
            over, standing = work.done() or self._fatal is not None, None
            with suppress(StoreError):  # the worker itself tells of a server that is away
                standing = await asyncio.to_thread(standing_of, self._database, self._batch_id)
            if over or (standing is not None and (standing[1] or standing[0].wish in ("pause", "rest"))):
                return standing
            looks = asyncio.create_task(self._changed.wait())
            await asyncio.wait({looks, work}, timeout=LOOK_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            looks.cancel()
            self._changed.clear()


def _passes(error: GlassbenchError) -> bool:
    """Whether the worker tries again by itself, as often as the batch's terms allow."""
    return isinstance(error, HarnessError) or (isinstance(error, ModelUnreachableError) and error.passing)


def _paused(batch_id: BatchId, control: Control) -> BatchPausedError:
    if control.reason is None:
        return BatchPausedError(
            f"batch {batch_id} was paused", hint=f"`glassbench batch run {batch_id}` goes on with it"
        )
    return BatchPausedError(
        control.detail or f"batch {batch_id} was paused by {control.reason}",
        code=control.reason,
        hint=f"mend that, then `glassbench batch run {batch_id}` goes on: only what is missing is run",
    )


def run_to_the_end(ground: Ground, row: BatchRow, tally: BatchTally) -> None:
    """Starts or resumes a batch and serves it in this process, showing progress, until every run is recorded.

    BatchPausedError; StoppedByOwnerError; RunFileError; the fault that nothing here mends.
    """
    terms = frozen_terms(ground.database, row.id)
    start_batch(
        ground.database,
        row.id,
        quantum=terms.policy.quantum,
        model_keys=[model.key for model in row.definition.models],
    )
    serve_to_the_end(ground, row, tally)


def serve_to_the_end(ground: Ground, row: BatchRow, tally: BatchTally) -> None:
    """Serves a batch that somebody wants to run or to end, showing progress; raises as `run_to_the_end` does.

    However that ends, what is recorded then gets its file; RunFileError where that is all that went wrong.
    """
    sys.stdout.flush()  # into a file, what was said before would come after all that follows on stderr
    try:
        with silent_libraries(), batch_progress(tally) as progress:
            asyncio.run(Foreground(ground.database, row.id, progress.advance).run(ground))
    except (GlassbenchError, StoppedByOwnerError):
        with suppress(GlassbenchError):  # what ended the batch is told first
            restore_run_files(ground.database, ground.home, row.id)
        raise
    restore_run_files(ground.database, ground.home, row.id)
