"""The directory that a site stands in: written beside it, then put in its place in one step.

A site carries a marker with the names that its own build made at its top, so that a directory with anything else beside
them is never replaced. What stands below a folder that a build made is the build's, and goes with it.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import FileIO
from pathlib import Path

from publisher.preview.marker import PREVIEW_MARKER
from publisher.projection.exchange import exchange
from publisher.rendering.errors import SiteTargetError
from publisher.rendering.site.earlier import FileStamp, KeptFile

MARKER = ".glassbench-site"


@dataclass(frozen=True, kw_only=True, slots=True)
class SiteKind:
    """What stands in a directory: its marker with the marker's first line, and who may enter it (`mode`)."""

    marker: str
    line: str
    mode: int = 0o777


SITE = SiteKind(marker=MARKER, line="glassbench.site/1")
PREVIEW = SiteKind(marker=PREVIEW_MARKER, line="glassbench.preview/1", mode=0o700)


class NewSite:
    """A site being written. `put` its files; `publish` puts it in the target's place."""

    def __init__(self, target: Path, staging: Path, kind: SiteKind = SITE) -> None:
        self._target, self._staging, self._kind = target, staging, kind
        self._root = staging / "site"
        self._root.mkdir(mode=kind.mode)
        self._alike = _born(self._root) == _born(target)
        self._folders = {"."}
        self._top: set[str] = set()
        self.stamps: dict[str, FileStamp] = {}
        """Which file each name was written as, at the moment when it was."""

    def put(self, name: str, chunks: Iterable[bytes]) -> int:
        """Writes one file below the site's root; how many bytes it has."""
        with _writing(self._target):
            path = self._place(name)
            # A path object for each of many thousand files takes longer than writing most of them.
            with open(path, "xb", buffering=0) as file:  # noqa: PTH123
                for chunk in chunks:
                    _write_all(file, chunk)
                found = os.fstat(file.fileno())
        self.stamps[name] = FileStamp(found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
        return found.st_size

    def take_over(self, kept: KeptFile) -> int:
        """The same for a file of the site that stands: another name for it is enough, for the old one goes. Where files
        can't have two names, or a new file would belong to somebody else, its bytes are written."""
        if not self._alike:
            return self.put(kept.name, kept.chunks())
        with _writing(self._target):
            path = self._place(kept.name)
        try:
            kept.link(path)
        except OSError:
            return self.put(kept.name, kept.chunks())
        self.stamps[kept.name] = kept.stamp
        return kept.size

    def _place(self, name: str) -> str:
        """Where a file will stand, in a folder that is there."""
        folder = name.rpartition("/")[0] or "."
        if folder not in self._folders:
            (self._root / folder).mkdir(parents=True, exist_ok=True)
            self._folders.add(folder)
        self._top.add(name.partition("/")[0])
        return f"{self._root}/{name}"

    def publish(self) -> None:
        """Puts the finished site in the target's place: a reader sees the old one or the new.

        SiteTargetError where something else was put into the target meanwhile.
        """
        self.put(self._kind.marker, ["\n".join([self._kind.line, *sorted(self._top), ""]).encode()])
        with _writing(self._target):
            _require_replaceable(self._target, self._kind)
            self._take_place()

    def _take_place(self) -> None:
        target = self._target
        if not os.path.lexists(target):
            self._root.rename(target)
        elif not exchange(self._root, target):
            old = self._staging / "old"
            target.rename(old)
            try:
                self._root.rename(target)
            except OSError:
                old.rename(target)
                raise


def _write_all(file: FileIO, data: bytes) -> None:
    written = file.write(data)
    while written < len(data):
        data = data[written:]
        written = file.write(data)


def _born(root: Path) -> tuple[int, int, int] | None:
    """Who may do what in a directory: that of a file made in it follows from the same owner and mask."""
    try:
        found = root.lstat()
    except OSError:
        return None
    return found.st_mode, found.st_uid, found.st_gid


@contextmanager
def new_site(target: Path, kind: SiteKind = SITE) -> Iterator[NewSite]:
    """A site that will take the target's place; what isn't published when the block ends is removed.

    SiteTargetError where the target holds anything but a site of the same kind that this module made, or can't be
    written.
    """
    path = Path(os.path.abspath(target))  # noqa: PTH100 - a link in the target's place must be seen, not followed
    with _staging(path) as staging:
        with _writing(path):
            _require_replaceable(path, kind)
            site = NewSite(path, staging, kind)
        yield site


@contextmanager
def _writing(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise _unwritten(target, error.strerror or str(error), _mend(target, error.errno)) from error


def _mend(target: Path, number: int | None) -> str:
    match number:
        case errno.ENOSPC | errno.EDQUOT:
            return f"free some space where {target.parent} is"
        case errno.EROFS:
            return f"the disk of {target.parent} may only be read: build to another place"
        case errno.EACCES | errno.EPERM:
            return f"make {target.parent} a folder that you may write to, or build to another place"
        case _:
            return f"check {target.parent}, or build to another place"


def _unwritten(target: Path, reason: str, mend: str) -> SiteTargetError:
    """Names the target, never the folder beside it that is gone when somebody reads this."""
    still = f"; what stood in {target} still stands" if os.path.lexists(target) else ""
    return SiteTargetError(f"writing {target} failed: {reason}", code="SITE-TARGET-003", hint=mend + still)


def _require_parent(target: Path) -> None:
    parent = target.parent
    if not os.path.lexists(parent):
        raise _unwritten(target, f"there is no folder {parent}", f"make the folder {parent}, or build to another place")
    if not parent.is_dir():
        raise _unwritten(target, f"{parent} is not a directory", "build to another place")


@contextmanager
def _staging(target: Path) -> Iterator[Path]:
    """An empty directory beside the target that belongs to this build alone; a dead build's one is taken over."""
    staging = target.with_name(f".{target.name}.building")
    with _writing(target):
        _require_parent(target)
        descriptor = _locked(staging, target)
    try:
        with _writing(target):
            for leftover in staging.iterdir():
                shutil.rmtree(leftover)
        try:
            yield staging
        finally:
            with suppress(OSError):
                shutil.rmtree(staging)
    finally:
        os.close(descriptor)


def _locked(staging: Path, target: Path) -> int:
    """A descriptor of the directory, locked: of the one that stands there, not of one that its owner has removed
    between the opening and the lock, which holds nobody off."""
    while True:
        staging.mkdir(exist_ok=True)
        try:
            descriptor = os.open(staging, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:
            continue
        try:
            _lock(descriptor, target)
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(descriptor), staging.lstat()):
                    return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _lock(descriptor: int, target: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise SiteTargetError(
            f"another build is writing {target}", code="SITE-TARGET-004", hint="wait for it, or build to another place"
        ) from error


def _require_replaceable(path: Path, kind: SiteKind) -> None:
    if not os.path.lexists(path):
        return
    if path.is_symlink():
        raise SiteTargetError(
            f"{path} is a symbolic link",
            code="SITE-TARGET-002",
            hint=f"build to {path.resolve()}, where it leads, or to a new or empty directory",
        )
    if not path.is_dir():
        raise SiteTargetError(
            f"{path} is not a directory", code="SITE-TARGET-002", hint="build to a new or empty directory"
        )
    found = {entry.name for entry in path.iterdir()}
    strangers = sorted(found - _made_names(path, kind))
    if strangers:
        raise SiteTargetError(
            f"{path} holds something else: {strangers[0]!r}", hint="build to a new or empty directory"
        )


def _made_names(path: Path, kind: SiteKind) -> set[str]:
    """The names that the build of this directory made; none where it isn't a site of this kind."""
    marker = path / kind.marker
    if marker.is_symlink() or not marker.is_file():
        return set()
    first, *names = marker.read_bytes().decode("utf-8", "replace").splitlines()[:1000] or [""]
    return {kind.marker, *names} if first == kind.line else set()
