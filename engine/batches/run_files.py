"""The files of a batch's recorded runs: a projection of PostgreSQL, written when a command has done its part."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from dataset.record import BatchId
from dataset.store.runs import iterate_artifacts
from dataset.store.session import Database
from engine.telemetry.run_file import remove_unfinished, write_run_file


def restore_run_files(database: Database, home: Path, batch_id: BatchId) -> int:
    """Makes the run files that are missing or differ from PostgreSQL; how many there were. RunFileError.

    Runs of other machines get their file here, too, and what killed processes left half-written goes.
    """
    with closing(iterate_artifacts(database, batch_id)) as runs:
        written = sum(write_run_file(home, run.run_id, run.data) for run in runs)
    remove_unfinished(home, batch_id)
    return written
