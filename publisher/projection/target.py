"""The directory that holds the public snapshot: what is in it, who may change it, and how it is replaced.

The new snapshot is written beside the target, in `.<name>.<random>.staging`, and changes places with it in one step.
Where the file system can't exchange two directories the old one is first moved to `.<name>.<random>.previous`; a
crash between the two moves leaves no target, and the next act moves the old one back before anything else.

The release before stays beside the target as `<name>.previous` until the next one. A crash right after the swap leaves
it under the name of the staging directory; its index tells the next act what it is, which then gives it its place.
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from publisher.preview.marker import require_no_preview
from publisher.projection.errors import TargetError
from publisher.projection.file_system import FileSystem
from publisher.projection.index import Index, Release
from publisher.verification.document import read_record
from publisher.verification.files import INDEX, read_file, shown_name


class Target:
    """A snapshot directory under its lock. Use `locked_target`."""

    def __init__(self, path: Path, files: FileSystem) -> None:
        self.path = path
        self._files = files

    @property
    def holds_snapshot(self) -> bool:
        """Whether there is a snapshot to carry over."""
        return (self.path / INDEX).is_file()

    @property
    def refusal(self) -> Path:
        """Where a refusal is written: beside the target."""
        return self.path.with_name(f"{self.path.name}.refusal.json")

    @property
    def previous(self) -> Path:
        """Where the release before stands: beside the target."""
        return self.path.with_name(f"{self.path.name}.previous")

    def require_usable(self) -> None:
        """TargetError where the target, or the place of the release before, holds anything but a snapshot;
        PreviewGivenError where it is a preview."""
        self._require_own_previous()
        if self.path.is_symlink():
            raise TargetError(
                f"{self.path} is a symbolic link", code="PUBLISH-TARGET-002", hint="name the directory itself"
            )
        if not os.path.lexists(self.path):
            return
        require_no_preview(self.path)
        if not self.path.is_dir():
            raise TargetError(f"{self.path} is not a directory", code="PUBLISH-TARGET-002", hint="name a directory")
        if not self.holds_snapshot and any(self.path.iterdir()):
            raise TargetError(
                f"{self.path} holds something else: there are files and no {INDEX}",
                hint="name a directory that was published to; a first release needs a new or empty one",
            )

    def _require_own_previous(self) -> None:
        place = self.previous
        if not os.path.lexists(place):
            return
        kept, held = _releases(place), _releases(self.path)
        if place.is_symlink() or not kept or ((held or not self.holds_snapshot) and held[: len(kept)] != kept):
            raise TargetError(
                f"{place} is where the release before is kept, and it holds something else",
                code="PUBLISH-TARGET-005",
                hint="move it away, or name another target",
            )

    def recover(self) -> None:
        """Undoes what a publisher that died left behind: an unfinished swap, unfinished staging."""
        leftovers = sorted(path for path in self.path.parent.iterdir() if self._pattern.fullmatch(path.name))
        for path in leftovers:
            if path.suffix == ".previous" and not os.path.lexists(self.path):
                self._files.rename(path, self.path)
        before = _releases(self.path)[:-1]
        for path in leftovers:
            if before and _releases(path) == before:
                self._keep(path)
            else:
                self._files.remove(path)

    @contextmanager
    def staging(self) -> Iterator[Path]:
        """A new directory beside the target, gone where the block ends before it took the target's place."""
        path = self._beside("staging")
        self._files.make_directory(path)
        try:
            yield path
        except BaseException:
            # What can't be removed now, the next act removes.
            with suppress(OSError):
                self._files.remove(path)
            raise

    def replace(self, staging: Path) -> None:
        """Puts a finished staging directory in the target's place; readers see the old one or the new.

        OSError where it can't be done, with the old one back in its place.
        """
        old = self._swap(staging)
        try:
            self._files.sync_directory(self.path.parent)
        except OSError:
            self._undo(staging, old)
            raise
        if old is not None:
            # What can't be done now, the next act does.
            with suppress(OSError):
                self._keep(old)

    def write_refusal(self, data: bytes) -> Path | None:
        """Writes the refusal beside the target, whole or not at all; its place, None where it can't be written."""
        draft = self._beside("staging")
        try:
            self._files.write(draft, data)
            self._files.rename(draft, self.refusal)
        except OSError:
            with suppress(OSError):
                self._files.remove(draft)
            return None
        return self.refusal

    def remove_refusal(self) -> None:
        """Removes the refusal of an earlier publish."""
        self._files.remove(self.refusal)

    def _swap(self, staging: Path) -> Path | None:
        """Where the old snapshot stands after the swap; None where there was none."""
        files = self._files
        if not os.path.lexists(self.path):
            files.rename(staging, self.path)
            return None
        files.copy_mode(self.path, staging)
        if files.exchange(staging, self.path):
            return staging
        previous = self._beside("previous")
        files.rename(self.path, previous)
        try:
            files.rename(staging, self.path)
        except OSError:
            files.rename(previous, self.path)
            raise
        return previous

    def _undo(self, staging: Path, old: Path | None) -> None:
        if old == staging:
            self._files.exchange(staging, self.path)
            return
        self._files.rename(self.path, staging)
        if old is not None:
            self._files.rename(old, self.path)

    def _keep(self, old: Path) -> None:
        """Puts a release that was replaced in the place of the one before, which goes."""
        if not (old / INDEX).is_file():  # an empty directory that was published to
            self._files.remove(old)
            return
        files, kept = self._files, self.previous
        if not os.path.lexists(kept):
            files.rename(old, kept)
        elif files.exchange(old, kept):
            files.remove(old)
        else:
            aside = self._beside("staging")
            files.rename(kept, aside)
            files.rename(old, kept)
            files.remove(aside)
        files.sync_directory(kept.parent)

    def _beside(self, kind: str) -> Path:
        return self.path.with_name(f".{self.path.name}.{secrets.token_hex(8)}.{kind}")

    @property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(rf"\.{re.escape(self.path.name)}\.[0-9a-f]{{16}}\.(staging|previous)")


@contextmanager
def locked_target(path: Path, files: FileSystem) -> Iterator[Target]:
    """The target, held by this publisher alone: another one waits until the block ends.

    What a dead publisher left is cleared away first. TargetError where the place can't be used.
    """
    path = Path(os.path.abspath(path))  # noqa: PTH100 - a link in the target's place must be seen, not followed
    if not path.name:
        raise TargetError(f"{path} can't be a snapshot", code="PUBLISH-TARGET-003", hint="name a directory below it")
    if not path.name.isprintable():
        raise TargetError(
            f"{shown_name(path.name)} is no name for a snapshot: it has characters that can't be shown, or bytes that "
            "are no UTF-8",
            code="PUBLISH-TARGET-006",
            hint="name a directory in plain text; releases are registered under its name",
        )
    lock = path.with_name(f".{path.name}.lock")
    try:
        descriptor = _acquire(lock)
    except OSError as error:
        raise _unusable(path, error) from error
    try:
        target = Target(path, files)
        try:
            target.recover()
            target.require_usable()
        except OSError as error:
            raise _unusable(path, error) from error
        yield target
    finally:
        with suppress(OSError):
            lock.unlink()
        os.close(descriptor)


def _releases(directory: Path) -> tuple[Release, ...]:
    """The releases that the index of a snapshot names; none where they can't be told."""
    try:
        index, _ = read_record(Index, read_file(directory / INDEX), INDEX)
    except OSError:
        return ()
    return index.releases if index else ()


def _unusable(path: Path, error: OSError) -> TargetError:
    return TargetError(
        f"{error.filename or path.parent} can't be used: {error.strerror or error}",
        code="PUBLISH-TARGET-003",
        hint=f"{path.parent}, which the target stands in, must exist and be writable",
    )


def _acquire(lock: Path) -> int:
    """The lock file, opened and locked. Who holds it removes it, so a file that was waited for may be gone by then."""
    while True:
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        with suppress(FileNotFoundError):
            if lock.stat().st_ino == os.fstat(descriptor).st_ino:
                return descriptor
        os.close(descriptor)
