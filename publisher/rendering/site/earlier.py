"""The site that stands where the next one will: which of its files are still what the build that wrote them left.

Whoever changes a file changes its inode's times with it, and nobody can set the last of them (`ctime`) back. Links are
never followed: what lies behind one stays when the site goes.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from dataset.canonical import sha256_hex
from publisher.rendering.errors import SiteTargetError
from publisher.verification.files import read_file


class FileStamp(NamedTuple):
    """Which file has a name, and when it was written and changed, in nanoseconds of its file system's clock."""

    inode: int
    size: int
    written: int
    changed: int


def stamp_of(path: str) -> FileStamp | None:
    """The stamp of a regular file with no second name; None for anything else, and where there is nothing."""
    try:
        found = os.lstat(path)
    except OSError:
        return None
    if not stat.S_ISREG(found.st_mode) or found.st_nlink != 1:
        return None
    return FileStamp(found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


@dataclass(kw_only=True)
class EarlierSite:
    """The directory of a site, which needn't be there."""

    root: Path
    _folders: dict[str, bool] = field(default_factory=dict, repr=False)

    def stamp(self, name: str) -> FileStamp | None:
        """The stamp of one of its files; None where a link is on the way to it."""
        return stamp_of(f"{self.root}/{name}") if self._holds(name.rpartition("/")[0]) else None

    def read(self, name: str, *, most: int) -> bytes:
        """The bytes of one of its files; OSError where it has none of that name, or one with more bytes."""
        if not self._holds(name.rpartition("/")[0]):
            raise FileNotFoundError(name)
        return read_file(self.root / name, largest=most)

    def _holds(self, folder: str) -> bool:
        """Whether a folder is one, and so is each above it. Looked at once."""
        if folder not in self._folders:
            above = self._holds(folder.rpartition("/")[0]) if folder else True
            path = self.root / folder
            self._folders[folder] = above and path.is_dir() and not path.is_symlink()
        return self._folders[folder]


@dataclass(frozen=True, kw_only=True, slots=True)
class KeptFile:
    """One file of the earlier site, as the build of that site wrote it."""

    name: str
    sha256: str
    stamp: FileStamp
    site: EarlierSite = field(repr=False)

    @property
    def size(self) -> int:
        """How many bytes there are."""
        return self.stamp.size

    def link(self, place: str) -> None:
        """Gives it a second name; OSError where that can't be."""
        os.link(f"{self.site.root}/{self.name}", place, follow_symlinks=False)

    def chunks(self) -> Iterator[bytes]:
        """Its bytes; SiteTargetError where they were changed since it was looked at."""
        data = self.site.read(self.name, most=self.size)
        if sha256_hex(data) != self.sha256:
            raise SiteTargetError(
                f"{self.site.root / self.name} was changed while the site was built",
                code="SITE-TARGET-005",
                hint="build again",
            )
        yield data
