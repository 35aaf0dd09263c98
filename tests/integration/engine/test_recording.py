"""Who writes what, when processes overlap or a disk is full."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from dataset.artifacts.artifact import Artifact
from dataset.artifacts.digest import open_artifact
from dataset.record import BatchId, RunId
from dataset.store.batches import batch_counts, get_batch, missing_runs
from dataset.store.runs import StaleAttemptError, UnknownRunError, begin_attempt, events, record_artifact
from dataset.store.session import Database
from engine.batches.composition import build_providers, build_runner, load_frozen
from engine.batches.runner import BatchRunner, OnRecorded, restore_run_files
from engine.providers.interface import AttemptGate, ModelReply, ModelRequest
from engine.providers.registry import ModelRegistry
from engine.telemetry.recorder import RunRecorder
from engine.telemetry.run_file import RunFileError, run_file
from tests.factories.loop import says
from tests.factories.stored import assert_every_run_exactly_once, new_batch, run_batch, stored_artifacts

FIRST = RunId("b1-0001")


@pytest.fixture
def batch_id(bank: Database, home: Path) -> BatchId:
    return new_batch(bank, home, "b1", template="tiny", models=["scripted-careful", "scripted-careless"])


def runner(bank: Database, home: Path, batch_id: BatchId, on_recorded: OnRecorded = lambda _: None) -> BatchRunner:
    registry = ModelRegistry.load(home)
    batch = load_frozen(bank, get_batch(bank, batch_id))
    providers = build_providers(batch, registry, {})
    return build_runner(
        database=bank, batch=batch, providers=providers, registry=registry, home=home, on_recorded=on_recorded
    )


def test_events_are_durable_after_each_flush_and_only_once(bank: Database, batch_id: BatchId) -> None:
    recorder = RunRecorder(bank, FIRST, begin_attempt(bank, FIRST))
    recorder.emit("run_started", {"n": 1})
    recorder.emit("check", {"n": 2})
    assert events(bank, FIRST) == []
    asyncio.run(recorder.flush())
    asyncio.run(recorder.flush())
    recorder.emit("run_finished", {"n": 3})
    asyncio.run(recorder.flush())
    told = events(bank, FIRST)
    assert [(e.attempt, e.seq, e.kind, e.body) for e in told] == [
        (1, 1, "run_started", b'{"n":1}'),
        (1, 2, "check", b'{"n":2}'),
        (1, 3, "run_finished", b'{"n":3}'),
    ]


def test_a_stale_attempt_writes_neither_events_nor_an_artifact(bank: Database, batch_id: BatchId) -> None:
    stale = RunRecorder(bank, FIRST, begin_attempt(bank, FIRST))
    stale.emit("run_started", {"n": 1})
    asyncio.run(stale.flush())
    begin_attempt(bank, FIRST)
    stale.emit("run_finished", {"n": 2})
    with pytest.raises(StaleAttemptError, match="attempt 1 was replaced by attempt 2"):
        asyncio.run(stale.flush())
    with pytest.raises(StaleAttemptError):
        record_artifact(bank, FIRST, 1, b"{}", "0" * 64, "pass", "completed")
    assert [e.seq for e in events(bank, FIRST)] == [1]
    assert len(missing_runs(bank, batch_id)) == 4


def test_a_recorder_of_an_unknown_run_is_refused(bank: Database, batch_id: BatchId) -> None:
    recorder = RunRecorder(bank, RunId("b1-9999"), 1)
    recorder.emit("run_started", {})
    with pytest.raises(UnknownRunError):
        asyncio.run(recorder.flush())


def test_a_run_that_another_process_recorded_meanwhile_keeps_its_first_artifact(
    bank: Database, home: Path, batch_id: BatchId
) -> None:
    told: list[Artifact] = []
    late = runner(bank, home, batch_id, on_recorded=told.append)
    plans = missing_runs(bank, batch_id)
    run_batch(bank, home, batch_id)
    before = stored_artifacts(bank, batch_id)
    asyncio.run(late.record(asyncio.run(late.finish(plans[0]))))
    assert stored_artifacts(bank, batch_id) == before
    assert told == [open_artifact(before[plans[0].run_id])]
    assert run_file(home, plans[0].run_id).read_bytes() == before[plans[0].run_id]


def test_two_runners_at_once_leave_one_artifact_a_run(bank: Database, home: Path, batch_id: BatchId) -> None:
    """As if the lock of the first had been lost: the fencing token still keeps each record single."""

    async def both() -> list[BaseException | None]:
        runners = [runner(bank, home, batch_id).run() for _ in range(2)]
        return await asyncio.gather(*runners, return_exceptions=True)

    for outcome in asyncio.run(both()):
        if isinstance(outcome, BaseExceptionGroup):
            stale, other = outcome.split(StaleAttemptError)
            assert stale is not None
            assert other is None
    run_batch(bank, home, batch_id)
    stored = stored_artifacts(bank, batch_id)
    assert len(stored) == 4
    assert all(open_artifact(data).run_id == run_id for run_id, data in stored.items())


def test_a_folder_that_can_not_be_written_ends_in_one_error_and_loses_nothing(
    bank: Database, home: Path, batch_id: BatchId
) -> None:
    (home / "runs").write_text("in the way")
    with pytest.raises(RunFileError, match="can't write"):
        run_batch(bank, home, batch_id)
    kept = batch_counts(bank, batch_id).recorded
    assert kept > 0
    (home / "runs").unlink()
    run_batch(bank, home, batch_id)
    restore_run_files(bank, home, batch_id)
    assert_every_run_exactly_once(bank, home, batch_id)


def test_what_led_to_a_question_is_durable_before_the_model_is_asked(
    bank: Database, home: Path, batch_id: BatchId
) -> None:
    told: list[list[str]] = []

    class Watching:
        async def complete(self, request: ModelRequest, gate: AttemptGate) -> ModelReply:
            told.append([e.kind for e in events(bank, RunId(request.origin.run_id))])
            return says("I can't say.")

        async def close(self) -> None:
            pass

    registry = ModelRegistry.load(home)
    batch = load_frozen(bank, get_batch(bank, batch_id))
    providers = {key: Watching() for key in batch.models}
    watched = build_runner(
        database=bank, batch=batch, providers=providers, registry=registry, home=home, on_recorded=lambda _: None
    )
    asyncio.run(watched.run())
    assert told == [["run_started", "check", "check", "check", "tools_loaded"]] * 4
