"""Who writes what, when processes overlap or a disk is full."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from dataset.artifacts.digest import open_artifact
from dataset.record import BatchId, RunId
from dataset.store.batches import batch_counts, get_batch
from dataset.store.journal import LostWriteError
from dataset.store.leases import Lease
from dataset.store.planned import missing_runs
from dataset.store.run_writes import BeginAttempt
from dataset.store.runs import StaleAttemptError, events
from dataset.store.serving import take_slice
from dataset.store.session import Database
from engine.batches.foreground import Foreground, StoppedByOwnerError
from engine.batches.run_files import restore_run_files
from engine.batches.worker_process import WRITE_ORDER
from engine.telemetry.journal import LoopJournal
from engine.telemetry.recorder import RunRecorder
from engine.telemetry.run_file import RunFileError, run_file
from tests.factories.recording import artifact_write, begin_attempt
from tests.factories.stored import assert_every_run_exactly_once, new_batch, run_batch, stored_artifacts
from tests.integration.engine.serving import start

FIRST = RunId("b1-0001")


@pytest.fixture
def batch_id(bank: Database, home: Path) -> BatchId:
    made = new_batch(bank, home, "b1", template="tiny", models=["scripted-careful", "scripted-careless"])
    start(bank, made)
    return made


@asynccontextmanager
async def leased(bank: Database, batch_id: BatchId) -> AsyncIterator[tuple[LoopJournal, Lease]]:
    work = take_slice(bank, batch_id, "w1", lease_seconds=60)
    assert work is not None
    async with LoopJournal(bank, order=WRITE_ORDER) as journal:
        yield journal, work.claim.lease


def test_events_are_durable_before_any_later_write_of_the_run_and_only_once(bank: Database, batch_id: BatchId) -> None:
    async def work() -> None:
        async with leased(bank, batch_id) as (journal, lease):
            recorder = RunRecorder(journal, lease, FIRST, 1)
            recorder.begin()
            recorder.emit("run_started", {"n": 1})
            recorder.emit("check", {"n": 2})
            assert events(bank, FIRST) == []
            await recorder.flush()
            await recorder.flush()
            recorder.emit("run_finished", {"n": 3})
            await recorder.flush()
            assert await journal.write(artifact_write(FIRST, 1, lease=lease)) is True
            told = events(bank, FIRST)
            assert [(e.attempt, e.seq, e.kind, e.body) for e in told] == [
                (1, 1, "run_started", b'{"n":1}'),
                (1, 2, "check", b'{"n":2}'),
                (1, 3, "run_finished", b'{"n":3}'),
            ]

    asyncio.run(work())


def test_a_stale_attempt_writes_neither_events_nor_an_artifact(bank: Database, batch_id: BatchId) -> None:
    begin_attempt(bank, FIRST)

    async def work() -> None:
        async with leased(bank, batch_id) as (journal, lease):
            stale = RunRecorder(journal, lease, FIRST, 1)
            stale.begin()
            stale.emit("run_finished", {"n": 2})
            await stale.flush()
            with pytest.raises(LostWriteError) as caught:
                await journal.write(artifact_write(FIRST, 1, lease=lease))
            assert isinstance(caught.value.cause, StaleAttemptError)
            stale.emit("check", {"n": 3})
            with pytest.raises(LostWriteError):
                await stale.flush()

    asyncio.run(work())
    assert [e.seq for e in events(bank, FIRST)] == []
    assert len(missing_runs(bank, batch_id)) == 4


def test_whoever_waits_for_a_write_and_is_cancelled_disturbs_nobody(bank: Database, batch_id: BatchId) -> None:
    async def work() -> None:
        async with leased(bank, batch_id) as (journal, lease):
            RunRecorder(journal, lease, FIRST, 1).begin()
            waiting = asyncio.create_task(journal.write(artifact_write(FIRST, 1, lease=lease)))
            await asyncio.sleep(0)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            await journal.write(BeginAttempt(lease=lease, run_id=RunId("b1-0002"), attempt=1))
            assert await journal.write(artifact_write(FIRST, 1, lease=lease)) is False

    asyncio.run(work())


def test_a_second_run_of_the_command_keeps_the_first_artifacts(bank: Database, home: Path, batch_id: BatchId) -> None:
    run_batch(bank, home, batch_id)
    before = stored_artifacts(bank, batch_id)
    run_batch(bank, home, batch_id)
    assert stored_artifacts(bank, batch_id) == before
    assert all(open_artifact(data).run_id == run_id for run_id, data in before.items())
    assert run_file(home, FIRST).read_bytes() == before[FIRST]


def test_a_folder_that_can_not_be_written_ends_in_one_error_and_loses_nothing(
    bank: Database, home: Path, batch_id: BatchId
) -> None:
    (home / "runs").write_text("in the way")
    with pytest.raises(RunFileError, match="can't write"):
        run_batch(bank, home, batch_id)
    assert batch_counts(bank, batch_id).recorded == 4
    (home / "runs").unlink()
    assert restore_run_files(bank, home, batch_id) == 4
    assert get_batch(bank, batch_id).finished_at is not None
    assert_every_run_exactly_once(bank, home, batch_id)


def test_a_batch_that_its_owner_stops_leaves_the_files_of_what_is_recorded(
    bank: Database, home: Path, batch_id: BatchId, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def stopped(*_: object) -> None:
        raise StoppedByOwnerError

    run_batch(bank, home, batch_id)
    before = run_file(home, FIRST).read_bytes()
    run_file(home, FIRST).unlink()
    monkeypatch.setattr(Foreground, "run", stopped)
    with pytest.raises(StoppedByOwnerError):
        run_batch(bank, home, batch_id)
    assert run_file(home, FIRST).read_bytes() == before

    shutil.rmtree(home / "runs")
    (home / "runs").write_text("in the way")
    with pytest.raises(StoppedByOwnerError):
        run_batch(bank, home, batch_id)
