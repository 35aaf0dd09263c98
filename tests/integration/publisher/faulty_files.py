"""A file system that fails, or takes the whole process with it, at the n-th thing that publishing does."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Literal

from publisher.projection.file_system import FileSystem

Moment = Literal["before", "during", "after"]


class FaultyFiles(FileSystem):
    """Counts every change; at the `at`-th one `fault` happens before it, in the middle of a write, or after it.

    `exchanges` False is a file system that can't swap two directories in one step.
    """

    def __init__(self, *, at: int, moment: Moment = "before", exchanges: bool = True) -> None:
        self.count = 0
        self._at = at
        self._moment = moment
        self._exchanges = exchanges

    def fault(self, path: Path) -> None:
        """What goes wrong."""
        raise NotImplementedError

    def make_directory(self, path: Path) -> None:
        due = self._begin(path)
        super().make_directory(path)
        self._end(due, path)

    def write(self, path: Path, data: bytes) -> None:
        due = self._begin(path)
        if due and self._moment == "during":
            path.write_bytes(data[: len(data) // 2])
            self.fault(path)
        super().write(path, data)
        self._end(due, path)

    def carry(self, source: Path, path: Path) -> None:
        due = self._begin(path)
        super().carry(source, path)
        self._end(due, path)

    def sync_directory(self, path: Path) -> None:
        due = self._begin(path)
        super().sync_directory(path)
        self._end(due, path)

    def copy_mode(self, source: Path, path: Path) -> None:
        due = self._begin(path)
        super().copy_mode(source, path)
        self._end(due, path)

    def rename(self, source: Path, path: Path) -> None:
        due = self._begin(path)
        super().rename(source, path)
        self._end(due, path)

    def exchange(self, left: Path, right: Path) -> bool:
        due = self._begin(right)
        done = super().exchange(left, right) if self._exchanges else False
        self._end(due, right)
        return done

    def remove(self, path: Path) -> None:
        due = self._begin(path)
        super().remove(path)
        self._end(due, path)

    def _begin(self, path: Path) -> bool:
        self.count += 1
        due = self.count == self._at
        if due and self._moment == "before":
            self.fault(path)
        return due

    def _end(self, due: bool, path: Path) -> None:
        if due and self._moment == "after":
            self.fault(path)


class FailingFiles(FaultyFiles):
    """Fails with an error number, once."""

    def __init__(self, *, number: int, at: int, moment: Moment = "before", exchanges: bool = True) -> None:
        super().__init__(at=at, moment=moment, exchanges=exchanges)
        self._number = number

    def fault(self, path: Path) -> None:
        raise OSError(self._number, os.strerror(self._number), str(path))


class DeadlyFiles(FaultyFiles):
    """Kills its own process, as a power cut or `kill -9` would."""

    def fault(self, path: Path) -> None:
        os.kill(os.getpid(), signal.SIGKILL)
