"""Every change that publishing makes on disk, one method each, so that a test can fail or die at any of them."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

from publisher.projection import exchange

_NO_LINKS = (errno.EPERM, errno.EXDEV, errno.EMLINK, errno.ENOTSUP, errno.ENOSYS)


class FileSystem:
    """Plain files, made durable as they are written. Every method raises OSError."""

    def make_directory(self, path: Path) -> None:
        """A new directory."""
        path.mkdir()

    def write(self, path: Path, data: bytes) -> None:
        """A new file with these bytes, on the disk when this returns."""
        with path.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())

    def carry(self, source: Path, path: Path) -> None:
        """The same file under a second name: a hard link, or a copy with its times where links can't be had."""
        try:
            os.link(source, path, follow_symlinks=False)
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            self.write(path, source.read_bytes())
            shutil.copystat(source, path, follow_symlinks=False)

    def sync_directory(self, path: Path) -> None:
        """The names in a directory, on the disk when this returns."""
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def copy_mode(self, source: Path, path: Path) -> None:
        """Gives a directory the permissions of another."""
        shutil.copymode(source, path)

    def rename(self, source: Path, path: Path) -> None:
        """Another name for a file or directory, in one step."""
        source.rename(path)

    def exchange(self, left: Path, right: Path) -> bool:
        """Two names swapped in one step; False where that can't be had."""
        return exchange.exchange(left, right)

    def remove(self, path: Path) -> None:
        """A file, a link or a whole directory, gone; nothing where there is nothing."""
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
