"""`runs/{run_id}.json` in the state directory: a projection of the artifact in PostgreSQL, byte for byte."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

from dataset.errors import GlassbenchError
from dataset.record import BatchId, RunId

_UNFINISHED = re.compile(r"\.(.+)\.([0-9]+)\.tmp")


class RunFileError(GlassbenchError):
    """A run's file can't be written; its artifact is safe in PostgreSQL."""

    code = "RUN-FILE-001"


def run_file(home: Path, run_id: RunId) -> Path:
    """Where the file of a run lies."""
    return home / "runs" / f"{run_id}.json"


def write_run_file(home: Path, run_id: RunId, data: bytes) -> bool:
    """Writes the file whole or not at all, and says whether it had to: an equal one is left alone."""
    path = run_file(home, run_id)
    unfinished = path.with_name(f".{run_id}.{os.getpid()}.tmp")
    try:
        if _holds(path, data):
            return False
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_bytes(data)
        unfinished.replace(path)
    except OSError as error:
        with suppress(OSError):
            unfinished.unlink()
        raise RunFileError(
            f"can't write {path}: {error.strerror}",
            hint="the artifact is safe in the database; make room or mend the rights, then run the batch again",
        ) from error
    return True


def _holds(path: Path, data: bytes) -> bool:
    try:
        return path.read_bytes() == data
    except FileNotFoundError:
        return False


def remove_unfinished(home: Path, batch_id: BatchId) -> None:
    """Removes what killed processes left half-written of a batch's runs; what a living one is writing is left."""
    with suppress(OSError):
        for path in (home / "runs").iterdir():
            found = _UNFINISHED.fullmatch(path.name)
            if found and found[1].startswith(f"{batch_id}-") and not Path(f"/proc/{found[2]}").exists():
                path.unlink(missing_ok=True)
