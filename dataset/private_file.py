"""Files that nobody but their owner may read, as keys stand in them."""

from __future__ import annotations

import os
import stat
from pathlib import Path


def why_unsafe(found: os.stat_result) -> str | None:
    """What makes an opened file no place for a secret: it isn't a file, is another user's, or others may read or write
    it. None where nothing does."""
    if not stat.S_ISREG(found.st_mode):
        return "isn't a file"
    if found.st_uid != os.geteuid():
        return "belongs to another user"
    if found.st_mode & 0o077:
        return f"has mode {stat.S_IMODE(found.st_mode):04o}: others may read or write it"
    return None


def write_private(path: Path, data: bytes) -> None:
    """A new file of mode 0600, whatever the umask, with its bytes on the disk. OSError; FileExistsError where anything
    is in its place."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        os.fchmod(descriptor, 0o600)
        file.write(data)
        file.flush()
        os.fsync(descriptor)


def sync_directory(directory: Path) -> None:
    """Makes the names in a directory durable. OSError."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
