"""Writes the files of recorded runs beside the event loop: a projection that no run has to wait for."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

from dataset.record import BatchId, RunId
from dataset.store.runs import iterate_artifacts
from dataset.store.session import Database
from engine.telemetry.run_file import remove_unfinished, write_run_file


class RunFiles:
    """One thread that writes `runs/{run_id}.json` in the order of recording."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="glassbench-run-files")
        self._last: Future[object] | None = None
        self._fault: BaseException | None = None

    def write(self, run_id: RunId, data: bytes) -> None:
        """Takes a file to write."""
        self._last = self._thread.submit(self._write, run_id, data)

    def settle(self) -> None:
        """Waits until every file taken so far is written; RunFileError where one couldn't be."""
        if self._last is not None:
            self._last.result()
        fault, self._fault = self._fault, None
        if fault is not None:
            raise fault

    def close(self) -> None:
        """Ends the thread when it has written everything."""
        self._thread.shutdown(wait=True)

    def _write(self, run_id: RunId, data: bytes) -> None:
        try:
            write_run_file(self._home, run_id, data)
        except Exception as error:  # told by the next `settle`; the artifact is safe in PostgreSQL
            self._fault = error


def restore_run_files(database: Database, home: Path, batch_id: BatchId) -> int:
    """Makes the run files again that are missing or differ from PostgreSQL; how many there were.

    Runs of other machines get their file here, and what killed processes left half-written goes.
    """
    with closing(iterate_artifacts(database, batch_id)) as runs:
        written = sum(write_run_file(home, run.run_id, run.data) for run in runs)
    remove_unfinished(home, batch_id)
    return written
