"""Runs what is missing of one leased slice: bounded consumers over its runs, one recorded artifact each."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from dataset.errors import GlassbenchError
from dataset.measures.giving_up import ATTEMPTS_USED_UP, BUDGET_USED_UP
from dataset.store.journal import LostWriteError
from dataset.store.leases import Lease, LeasedRun
from dataset.store.run_writes import RecordArtifact
from engine.agent.loop import Halted
from engine.batches.batch_session import BatchSession
from engine.batches.breaker import Breaker, Finished
from engine.ledger.gate import LedgerGates
from engine.telemetry.assembly import Sealed, assemble_sealed
from engine.telemetry.journal import LoopJournal
from engine.telemetry.recorder import RunRecorder
from engine.telemetry.watch import UNWATCHED, Watch

OnRecorded = Callable[[Sealed], None]


MOST_BROKEN = 3
"""Runs of a slice that may break the harness before the others are left alone."""


class HarnessError(GlassbenchError):
    """A run that our own code could neither finish nor seal; nothing was recorded for it."""

    code = "RUN-HARNESS-002"


@dataclass(kw_only=True)
class SliceRunner:
    """Does the runs of one slice under its lease.

    `halted_of` says of a run why it is to be given up; `draining` that none may be started any more. `recorded` counts
    what has been recorded, which is progress even where the slice isn't finished.
    """

    session: BatchSession
    journal: LoopJournal
    lease: Lease
    runs: Sequence[LeasedRun]
    breaker: Breaker
    halted_of: Callable[[LeasedRun], Halted]
    draining: Callable[[], bool]
    on_recorded: OnRecorded
    watch: Watch = UNWATCHED
    recorded: int = 0
    budget_used_up: bool = False
    gave_up: bool = False
    _broken: list[HarnessError] = field(default_factory=list)
    _attempts: set[str] = field(default_factory=set)

    async def run(self) -> None:
        """Returns when every run is recorded, or the slice is draining.

        ModelUnreachableError where a model can't be asked: its runs stay missing. StaleLeaseError where the slice was
        taken over. HarnessError where runs broke the harness, once the others are done or MOST_BROKEN did. Whatever is
        raised, what is recorded is recorded.
        """
        queues: dict[str, list[LeasedRun]] = defaultdict(list)
        for run in self.runs:
            queues[run.plan.model_key].append(run)
        try:
            async with asyncio.TaskGroup() as tasks:
                for model_key, runs in queues.items():
                    queue = iter(runs)
                    for _ in range(min(len(runs), self.session.concurrency[model_key])):
                        tasks.create_task(self._consume(queue))
            for held in self.breaker.rest():
                await self._record(held)
            if self._broken:
                raise self._broken[0]
        except ExceptionGroup as group:
            raise first_of_ours(group) from None
        finally:
            await self._end_attempts()

    async def _end_attempts(self) -> None:
        """Waits for what was posted and not awaited, while the lease still stands behind it."""
        try:
            await self.journal.settled()
        finally:
            for source in self._attempts:
                self.journal.forget(source)

    async def _consume(self, queue: Iterator[LeasedRun]) -> None:
        for run in queue:
            async with self.session.turns[run.plan.model_key]:
                if self.draining():
                    return
                try:
                    finished = await self._finish(run)
                except HarnessError as error:
                    self._broken.append(error)
                    if len(self._broken) >= MOST_BROKEN:
                        raise  # it isn't the one run: nobody pays for the rest
                    continue
            for ready in self.breaker.watch(finished):
                await self._record(ready)

    async def _finish(self, run: LeasedRun) -> Finished:
        """The sealed artifact of a new attempt; its events are in the journal."""
        plan, attempt = run.plan, run.attempt
        self._attempts.add(f"{plan.run_id}/{attempt}")
        recorder = RunRecorder(self.journal, self.lease, plan.run_id, attempt)
        recorder.begin()
        account = self.session.accounts[plan.model_key]
        gates = LedgerGates(self.journal, account, self.lease, plan, attempt, watch=self.watch)
        try:
            await self.session.executor.execute(plan, attempt, recorder, gates=gates, halted=self.halted_of(run))
            sealed = assemble_sealed(plan.run_id, recorder.events)
        except GlassbenchError:
            raise
        except Exception as error:
            raise HarnessError(
                f"run {plan.run_id} broke the harness: {type(error).__name__}",
                hint=f"its events are kept (`glassbench run events {plan.run_id}`); this is a fault of Glassbench",
            ) from error
        error_code = sealed.result.error.code if sealed.result.error else None
        if error_code == BUDGET_USED_UP and not self.session.replayed:  # a replay repeats what another batch ran out of
            self.budget_used_up = True
        self.gave_up = self.gave_up or error_code == ATTEMPTS_USED_UP
        return Finished(plan=plan, attempt=attempt, sealed=sealed)

    async def _record(self, run: Finished) -> None:
        """Records a sealed run; what is recorded is counted, even where this work has ended meanwhile."""
        sealed = run.sealed

        def recorded() -> None:
            self.recorded += 1
            self.on_recorded(sealed)

        await self.journal.write(
            RecordArtifact(
                lease=self.lease,
                run_id=run.plan.run_id,
                attempt=run.attempt,
                data=sealed.data,
                artifact_hash=sealed.artifact_hash,
                verdict=sealed.verdict,
                status=sealed.result.status,
            ),
            once_kept=recorded,
        )


def first_of_ours(group: ExceptionGroup[Exception]) -> Exception:
    """The error that a person can act on: several consumers meet the same full disk or broken connection at once."""
    for error in group.exceptions:
        found = first_of_ours(error) if isinstance(error, ExceptionGroup) else error
        if isinstance(found, LostWriteError):
            found = found.cause
        if isinstance(found, GlassbenchError):
            return found
    return group
