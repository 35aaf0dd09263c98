"""The files of a snapshot: which there are, which must be, and their bytes. Links are never followed."""

from __future__ import annotations

import errno
import os
import stat
import weakref
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from publisher.verification.difference import Difference, fault

INDEX = "index.json"
FOLDERS = ("reports", "runs")
LOG_FOLDER = "log"
"""The only folder of a snapshot that has folders in it."""
DEEPEST = 16
"""Folders within folders: more than a release log of 2^63 entries has, or any page."""
LARGEST_FILE = 512 * 1024 * 1024
"""A file of a snapshot is read whole; nothing that Glassbench writes comes near this."""
_CHUNK = 1024 * 1024
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Files:
    """A directory as it was found. `present` holds the regular files by relative name.

    `differences` holds what can't be read, and what no snapshot has. `whole` looks into every folder: in a mirror of a
    site, pages stand beside the files of the snapshot.

    The directory is held open: where another takes its name meanwhile, all that is read still comes from the one that
    was listed.
    """

    def __init__(self, directory: Path, *, whole: bool = False) -> None:
        self.directory = directory
        self.whole = whole
        self.present: set[str] = set()
        self.differences: list[Difference] = []
        self._held = self._open()
        if self._held is not None:
            self._release = weakref.finalize(self, os.close, self._held)
            self._walk("")
        self._loose = set(self.present)

    @property
    def identity(self) -> tuple[int, int] | None:
        """Tells this directory from another that takes its name; None where there is none."""
        if self._held is None:
            return None
        found = os.fstat(self._held)
        return found.st_dev, found.st_ino

    @staticmethod
    def identity_of(directory: Path) -> tuple[int, int] | None:
        """The identity of the directory that has a name now; None where none has it."""
        try:
            found = directory.lstat()
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def close(self) -> None:
        """Lets go of the directory, where that can't wait for these files to be forgotten; nothing is there then."""
        if self._held is not None:
            self._release()
            self._held = None
            self.present.clear()

    def read(self, name: str) -> bytes | None:
        """The bytes of a file, or None with a difference noted where it is missing or can't be read."""
        if name not in self.present:
            self.differences.append(fault(name, "missing: the index leads here"))
            return None
        return self.find(name)

    def find(self, name: str) -> bytes | None:
        """The bytes of a file; None where there is none, or with a difference noted where it can't be read."""
        if name not in self.present:
            return None
        try:
            return self._bytes(name)
        except OSError as error:
            self.differences.append(fault(name, f"can't be read: {why_unread(error)}"))
            return None

    def chunks(self, name: str) -> Iterator[bytes]:
        """The bytes of a file of any size, piece by piece; none, with a difference noted, where it can't be read."""
        if name not in self.present:
            return
        try:
            with self._opened(name) as file:
                while chunk := file.read(_CHUNK):
                    yield chunk
        except OSError as error:
            self.differences.append(fault(name, f"can't be read: {why_unread(error)}"))

    def _bytes(self, name: str) -> bytes:
        return _all_of(_descriptor(name, folder=self._held))

    def _opened(self, name: str) -> BinaryIO:
        return os.fdopen(_descriptor(name, folder=self._held), "rb")

    def account(self, names: Iterable[str]) -> None:
        """Tells of files that the index, a report or a run leads to."""
        self._loose.difference_update(names)

    @property
    def accounted(self) -> int:
        """How many files these are."""
        return len(self.present) - len(self._loose)

    def report_strays(self) -> None:
        """Notes every file of the snapshot's kind that nothing accounts for. What stands in the log is held to its
        entries, and the pages of a site to what they are rendered from."""
        strays = [name for name in self._loose if self._may_stray(name)]
        missing = {difference.place for difference in self.differences}
        known = (self.present - self._loose) | missing if strays else missing
        self.differences += stray_differences(strays, known, "not named by the index")

    def _may_stray(self, name: str) -> bool:
        return not in_log(name) and (not self.whole or is_snapshot_file(name))

    def _open(self) -> int | None:
        try:
            if not stat.S_ISDIR(self.directory.lstat().st_mode):
                self.differences.append(fault(".", "not a directory"))
                return None
            return os.open(self.directory, _FOLDER)
        except OSError as error:
            self.differences.append(fault(".", f"can't be read: {why_unread(error)}"))
            return None

    def _walk(self, folder: str) -> None:
        for name, kind in self._entries(folder):
            if kind == "file":
                self.present.add(name)
            elif kind != "folder":
                self.differences.append(fault(shown_name(name), kind))
            elif self._belongs(name):
                self._walk(name)
            else:
                self.differences.append(fault(shown_name(name), "a folder that a snapshot doesn't have"))

    def _belongs(self, folder: str) -> bool:
        top, _, below = folder.partition("/")
        if folder.count("/") >= DEEPEST:
            return False
        return self.whole or top == LOG_FOLDER or (not below and top in FOLDERS)

    def _entries(self, folder: str) -> list[tuple[str, str]]:
        """The name and kind of all that stands in a folder, by name."""
        try:
            opened = os.open(folder or ".", _FOLDER, dir_fd=self._held)
            try:
                with os.scandir(opened) as found:
                    entries = sorted((entry.name, _kind(entry)) for entry in found)
            finally:
                os.close(opened)
        except OSError as error:
            self.differences.append(fault(folder or ".", f"can't be listed: {error.strerror or error}"))
            return []
        return [(f"{folder}/{name}" if folder else name, kind) for name, kind in entries]


def _kind(entry: os.DirEntry[str]) -> str:
    if entry.is_symlink():
        return "a symbolic link"
    if entry.is_dir(follow_symlinks=False):
        return "folder"
    return "file" if entry.is_file(follow_symlinks=False) else "not a regular file"


def read_file(path: Path, *, largest: int = LARGEST_FILE) -> bytes:
    """The bytes of one regular file; OSError where it is a link or anything else, or has more bytes than `largest`."""
    return _all_of(_descriptor(path), largest)


def why_unread(error: OSError) -> str:
    """Why a file couldn't be read, in words: of a link that isn't followed the system tells of loops."""
    if error.errno == errno.ELOOP:
        return "a symbolic link, which isn't followed"
    return error.strerror or str(error)


def _descriptor(name: str | Path, *, folder: int | None = None) -> int:
    # What was a file when its folder was listed may be a link by now, or a pipe that nobody writes to.
    opened = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    if stat.S_ISREG(os.fstat(opened).st_mode):
        return opened
    os.close(opened)
    raise OSError("not a regular file")


def _all_of(opened: int, largest: int = LARGEST_FILE) -> bytes:
    """Reads a file to its end and closes it. Asks for as much as there is: room for the largest takes longer to get
    than most files to read."""
    try:
        size = os.fstat(opened).st_size
        data = os.read(opened, size + 1) if size <= largest else b""
        while size < len(data) <= largest and (more := os.read(opened, _CHUNK)):  # it grows while it is read
            data += more
    finally:
        os.close(opened)
    if max(size, len(data)) > largest:
        raise OSError(f"{max(size, len(data)):,} bytes, more than any such file has")
    return data


def report_name(batch_id: str) -> str:
    """Where the report of a batch stands."""
    return f"reports/{batch_id}.json"


def run_name(run_id: str) -> str:
    """Where the artifact of a run stands."""
    return f"runs/{run_id}.json"


def named_run(name: str) -> str | None:
    """The id of the run whose artifact stands in a file; None for any other file."""
    run_id = name.removeprefix("runs/").removesuffix(".json")
    return run_id if name == run_name(run_id) else None


def in_log(name: str) -> bool:
    """Whether a file is one of the release log."""
    return name.startswith(f"{LOG_FOLDER}/")


def is_snapshot_file(name: str) -> bool:
    """Whether a file is of a snapshot's kind: what a mirror of a site has besides are pages and what they use."""
    folder, _, file = name.partition("/")
    return name == INDEX or folder == LOG_FOLDER or (folder in FOLDERS and file.endswith(".json"))


def stray_differences(strays: Iterable[str], expected: set[str], message: str) -> Iterator[Difference]:
    """A difference for each name too many, in order. On a file system that ignores case, one may take the place of a
    file that belongs there."""
    names = sorted(strays)
    folded = {name.casefold(): name for name in expected} if names else {}
    for name in names:
        twin = folded.get(name.casefold())
        told = f"; takes the place of {twin} where case makes no difference" if twin else ""
        yield fault(shown_name(name), message + told)


def shown_name(name: str) -> str:
    """A name as any terminal takes it; a file system may hold bytes that are no Unicode."""
    return name.encode("utf-8", "backslashreplace").decode() if name.isprintable() else ascii(name)[1:-1]
