"""`runs/{run_id}.json` in the state directory: a projection of the artifact in PostgreSQL, byte for byte."""

from __future__ import annotations

import os
from pathlib import Path

from dataset.errors import GlassbenchError
from dataset.record import RunId


class RunFileError(GlassbenchError):
    """A run's file can't be written; its artifact is safe in PostgreSQL."""

    code = "RUN-FILE-001"


def run_file(home: Path, run_id: RunId) -> Path:
    """Where the file of a run lies."""
    return home / "runs" / f"{run_id}.json"


def write_run_file(home: Path, run_id: RunId, data: bytes) -> None:
    """Writes the file whole or not at all; an equal one is left alone."""
    path = run_file(home, run_id)
    unfinished = path.with_name(f".{run_id}.{os.getpid()}.tmp")
    try:
        if path.exists() and path.read_bytes() == data:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_bytes(data)
        unfinished.replace(path)
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        raise RunFileError(
            f"can't write {path}: {error.strerror}",
            hint="the artifact is safe in the database; make room or mend the rights, then run the batch again",
        ) from error
