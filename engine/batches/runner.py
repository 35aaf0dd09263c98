"""Runs what is missing of a batch: bounded consumers over the planned runs, one recorded artifact each."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from dataset.artifacts.artifact import Artifact
from dataset.artifacts.definition import PlannedRun, planned_runs
from dataset.artifacts.digest import open_artifact
from dataset.errors import GlassbenchError
from dataset.record import BatchId
from dataset.store.batches import finish_batch, get_batch, missing_runs
from dataset.store.runs import answered_models, artifact_bytes, begin_attempt, iterate_artifacts, record_artifact
from dataset.store.session import Database
from engine.batches.breaker import Breaker, Finished
from engine.batches.run_executor import RunExecutor
from engine.telemetry.assembly import assemble
from engine.telemetry.recorder import RunRecorder
from engine.telemetry.run_file import remove_unfinished, write_run_file

OnRecorded = Callable[[Artifact], None]


class HarnessError(GlassbenchError):
    """A run that our own code could neither finish nor seal; nothing was recorded for it."""

    code = "RUN-HARNESS-002"


@dataclass(frozen=True, kw_only=True)
class BatchRunner:
    """Finishes a batch. The caller holds the batch's lock, so that no run is executed twice at once.

    `concurrency` bounds the runs in flight for each model. Stopped or killed at any moment, the next call does exactly
    the runs that have no artifact.
    """

    database: Database
    executor: RunExecutor
    home: Path
    concurrency: Mapping[str, int]
    on_recorded: OnRecorded

    async def run(self) -> None:
        """Returns when every planned run is recorded and the batch is marked finished.

        ModelUnreachableError where a model can't be asked: its runs stay missing.
        """
        batch_id = self.executor.batch.id
        missing = await asyncio.to_thread(missing_runs, self.database, batch_id)
        breaker = Breaker(await asyncio.to_thread(answered_models, self.database, batch_id))
        async with asyncio.TaskGroup() as tasks:
            for model_key, limit in self.concurrency.items():
                queue = iter([plan for plan in missing if plan.model_key == model_key])
                for _ in range(limit):
                    tasks.create_task(self._consume(queue, breaker))
        for run in breaker.rest():
            await self.record(run)
        await asyncio.to_thread(finish_batch, self.database, batch_id, datetime.now(UTC))

    async def _consume(self, queue: Iterator[PlannedRun], breaker: Breaker) -> None:
        for plan in queue:
            for run in breaker.watch(await self.finish(plan)):
                await self.record(run)

    async def finish(self, plan: PlannedRun) -> Finished:
        """The sealed artifact of a new attempt at a run; its events are in PostgreSQL."""
        attempt = await asyncio.to_thread(begin_attempt, self.database, plan.run_id)
        recorder = RunRecorder(self.database, plan.run_id, attempt)
        try:
            await self.executor.execute(plan, attempt, recorder)
            data = assemble(plan.run_id, recorder.events)
        except GlassbenchError:
            raise
        except Exception as error:
            raise HarnessError(
                f"run {plan.run_id} broke the harness: {type(error).__name__}",
                hint=f"its events are kept (`glassbench run events {plan.run_id}`); this is a fault of Glassbench",
            ) from error
        return Finished(plan=plan, attempt=attempt, data=data, artifact=open_artifact(data, name=plan.run_id))

    async def record(self, run: Finished) -> None:
        """Records a sealed run, unless another process was first, and writes its file."""
        data, artifact, run_id = run.data, run.artifact, run.plan.run_id
        first = await asyncio.to_thread(
            record_artifact,
            self.database,
            run_id,
            run.attempt,
            data,
            artifact.artifact_hash,
            artifact.judgment.verdict,
            artifact.result.status,
        )
        if not first:  # a process that has lost the batch's lock: the record that stands is the other's
            standing = await asyncio.to_thread(artifact_bytes, self.database, run_id)
            assert standing is not None
            data, artifact = standing, open_artifact(standing, name=run_id)
        await asyncio.to_thread(write_run_file, self.home, run_id, data)
        self.on_recorded(artifact)


def restore_run_files(database: Database, home: Path, batch_id: BatchId) -> int:
    """Makes the run files again that are missing or differ from PostgreSQL; how many there were.

    What a killed process left half-written goes too, so the caller holds the batch's lock.
    """
    remove_unfinished(home, [plan.run_id for plan in planned_runs(get_batch(database, batch_id).definition, batch_id)])
    return sum(write_run_file(home, stored.run_id, stored.data) for stored in iterate_artifacts(database, batch_id))
