"""A folder that only its owner can enter, for as long as it is needed; what a killed process left is removed by the
next one."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import mkdtemp

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@contextmanager
def private_folder(parent: Path) -> Iterator[Path]:
    """A new folder (mode 0700) below `parent`, gone when the block ends. OSError where it can't be made.

    Whoever uses one holds a lock on it, which ends with the process: a folder that nobody holds is a leftover.
    """
    parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _locked(parent):
        _sweep(parent)
        folder = Path(mkdtemp(dir=parent))
        held = os.open(folder, _FOLDER)
        fcntl.flock(held, fcntl.LOCK_EX)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(held)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    held = os.open(folder, _FOLDER)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
    finally:
        os.close(held)


def _sweep(parent: Path) -> None:
    for folder in parent.iterdir():
        with suppress(OSError):
            held = os.open(folder, _FOLDER)
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder)
            finally:
                os.close(held)
