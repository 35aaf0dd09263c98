"""One archive with everything: the snapshot as it verifies, and the tables beside it.

It is a plain tar, whose bytes follow from its files alone. Compressed bytes don't: each version of a library may write
others, and a mirror is compared byte for byte. It is made as it is written, so no size of a snapshot fills the memory.
"""

from __future__ import annotations

import calendar
import hashlib
import tarfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from dataset.canonical import sha256_hex
from dataset.errors import GlassbenchError
from publisher.exports.interface import ExportFile
from publisher.exports.tables.catalogue import DATA

ARCHIVE = f"{DATA}/glassbench.tar"
MEDIA_TYPE = "application/x-tar"
_MODE = 0o644
_LATEST = 8**11 - 1
_NAME_BYTES = 100
_SIZE_DIGITS = 11
_SIZE, _CHECKSUM = slice(124, 136), slice(148, 156)
"""Where they stand in a header: IEEE Std 1003.1, pax, "ustar Interchange Format"."""


class ChangedWhileReadError(GlassbenchError):
    """A file of the snapshot isn't what it was a moment ago."""

    code = "SITE-ARCHIVE-001"


@dataclass(frozen=True, kw_only=True, slots=True)
class SnapshotFile:
    """A file of the snapshot as it was read: `read` gives its bytes once more."""

    name: str
    size: int
    sha256: str
    read: Callable[[], bytes] = field(repr=False)


@dataclass(kw_only=True)
class Archive:
    """A tar of files, in their order, in one folder named for the release; times are those of the release.

    `sha256` and `size` are known when the last of its `chunks` was taken.
    """

    release: int
    published_at: str
    snapshot: Sequence[SnapshotFile]
    data: Sequence[ExportFile]
    size: int = 0
    sha256: str = ""

    @property
    def folder(self) -> str:
        """The one folder at its top."""
        return f"glassbench-release-{self.release}"

    def chunks(self) -> Iterator[bytes]:
        """Its bytes, from the first; ChangedWhileReadError where a file was changed since it was checked."""
        digest, size = hashlib.sha256(), 0
        for chunk in self._chunks():
            digest.update(chunk)
            size += len(chunk)
            yield chunk
        self.sha256, self.size = digest.hexdigest(), size

    def _chunks(self) -> Iterator[bytes]:
        written = 0
        header = _Headers(published_at=self.published_at)
        for name, data in self._members():
            member = b"".join(
                (header.of(f"{self.folder}/{name}", len(data)), data, bytes(-len(data) % tarfile.BLOCKSIZE))
            )
            written += len(member)
            yield member
        end = 2 * tarfile.BLOCKSIZE
        yield bytes(end + -(written + end) % tarfile.RECORDSIZE)

    def _members(self) -> Iterator[tuple[str, bytes]]:
        for file in self.snapshot:
            data = file.read()
            if sha256_hex(data) != file.sha256:
                raise ChangedWhileReadError(f"{file.name} was changed while the site was built", hint="build again")
            yield f"snapshot/{file.name}", data
        for made in self.data:
            yield made.name, made.data


class _Headers:
    """Headers of members that differ in name and size alone; with the tar of Python's library each takes fifty times as
    long, and half of the time of an archive."""

    def __init__(self, *, published_at: str) -> None:
        self._mtime = _seconds(published_at)
        self._plain = bytearray(self._made("", 0))
        self._plain[_CHECKSUM] = b" " * 8
        self._sum = sum(self._plain) - sum(self._plain[_SIZE])

    def of(self, name: str, size: int) -> bytes:
        """As a tar has it, whatever the name."""
        own, digits = name.encode(), b"%011o" % size
        if len(own) > _NAME_BYTES or len(digits) > _SIZE_DIGITS or not name.isascii():
            return self._made(name, size)
        header = self._plain.copy()
        header[: len(own)] = own
        header[_SIZE] = digits + b"\0"
        header[_CHECKSUM] = b"%06o\0 " % (self._sum + sum(own) + sum(digits))
        return bytes(header)

    def _made(self, name: str, size: int) -> bytes:
        info = tarfile.TarInfo(name)
        info.size, info.mode, info.mtime = size, _MODE, self._mtime
        return info.tobuf(tarfile.USTAR_FORMAT, "utf-8", "strict")


def _seconds(utc: str) -> int:
    """Seconds since 1970, within what the header holds; a report may give a day that there never was."""
    try:
        return min(max(calendar.timegm(time.strptime(utc[:19], "%Y-%m-%dT%H:%M:%S")), 0), _LATEST)
    except ValueError:
        return 0
