"""The archive is the tar that Python's library would write."""

from __future__ import annotations

import io
import tarfile

import pytest

from publisher.exports.archive import Archive
from publisher.exports.interface import ExportFile

TIME = "2026-01-02T03:04:05.000Z"
SECONDS = 1767323045


@pytest.mark.parametrize("size", [0, 1, 511, 512, 513, 70_000])
@pytest.mark.parametrize(
    "name", ["a", "runs/run-1.json", "a" * 78, "a" * 79, "folder/" * 12 + "a" * 60, "données/é.csv", "a b\\c.txt"]
)
def test_it_is_byte_for_byte_what_the_library_writes(name: str, size: int) -> None:
    files = [ExportFile(name=own, title="", media_type="", data=b"x" * size) for own in (name, "last")]
    archive = Archive(release=3, published_at=TIME, snapshot=(), data=files)
    made = b"".join(archive.chunks())
    wanted = io.BytesIO()
    with tarfile.open(fileobj=wanted, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for file in files:
            info = tarfile.TarInfo(f"glassbench-release-3/{file.name}")
            info.size, info.mode, info.mtime = size, 0o644, SECONDS
            tar.addfile(info, io.BytesIO(file.data))
    assert made == wanted.getvalue()
    assert archive.size == len(made)
