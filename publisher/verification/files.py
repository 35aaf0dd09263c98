"""The files of a snapshot: which there are, which must be, and their bytes. Links are never followed."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from publisher.verification.difference import Difference

INDEX = "index.json"
FOLDERS = ("reports", "runs")
LARGEST_FILE = 512 * 1024 * 1024
"""A file of a snapshot is read whole; nothing that Glassbench writes comes near this."""


class Files:
    """A directory as it was found. `present` holds the regular files by relative name."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self.present: set[str] = set()
        self.differences: list[Difference] = []
        self._list()

    def read(self, name: str) -> bytes | None:
        """The bytes of a file, or None with a difference noted where it is missing or can't be read."""
        if name not in self.present:
            self.differences.append(_difference(name, "missing: the index leads here"))
            return None
        try:
            return self._bytes(name)
        except OSError as error:
            self.differences.append(_difference(name, f"can't be read: {error.strerror or error}"))
            return None

    def _bytes(self, name: str) -> bytes:
        # O_NOFOLLOW: what was a file when the directory was listed may be a link by now
        descriptor = os.open(self._directory / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as file:
            size = os.fstat(descriptor).st_size
            if size > LARGEST_FILE:
                raise OSError(f"{size} bytes, more than any file of a snapshot")
            return file.read()

    def report_strays(self, expected: set[str]) -> None:
        """Notes every file that no index, report or run accounts for."""
        self.differences += [
            _difference(_printable(name), "not named by the index") for name in sorted(self.present - expected)
        ]

    def _list(self) -> None:
        try:
            kind = self._directory.lstat().st_mode
        except OSError as error:
            self.differences.append(_difference(".", f"can't be read: {error.strerror or error}"))
            return
        if not stat.S_ISDIR(kind):
            self.differences.append(_difference(".", "not a directory"))
            return
        for name, entry in self._entries(""):
            self._note(name, entry)

    def _note(self, name: str, entry: os.DirEntry[str]) -> None:
        if entry.is_file(follow_symlinks=False):
            self.present.add(name)
        elif entry.is_dir(follow_symlinks=False):
            if name not in FOLDERS:
                self.differences.append(_difference(_printable(name), "a folder that a snapshot doesn't have"))
                return
            for inner, below in self._entries(name):
                self._note(inner, below)
        else:
            kind = "a symbolic link" if entry.is_symlink() else "not a regular file"
            self.differences.append(_difference(_printable(name), kind))

    def _entries(self, folder: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
        try:
            with os.scandir(self._directory / folder) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError as error:
            self.differences.append(_difference(folder or ".", f"can't be listed: {error.strerror or error}"))
            return
        for entry in entries:
            yield (f"{folder}/{entry.name}" if folder else entry.name), entry


def report_name(batch_id: str) -> str:
    """Where the report of a batch stands."""
    return f"reports/{batch_id}.json"


def run_name(run_id: str) -> str:
    """Where the artifact of a run stands."""
    return f"runs/{run_id}.json"


def _difference(place: str, message: str) -> Difference:
    return Difference(place=place, expected="", observed="", message=message)


def _printable(name: str) -> str:
    """A name as any terminal takes it; a file system may hold bytes that are no Unicode."""
    return name.encode("utf-8", "backslashreplace").decode() if name.isprintable() else ascii(name)[1:-1]
