"""Files with secrets in them: whole, their owner's alone, and never in the place of another."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dataset.private_file import sync_directory, why_unsafe, write_private


def test_a_private_file_has_mode_0600_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o777)
    try:
        write_private(tmp_path / "key", b"secret")
    finally:
        os.umask(before)
    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "key").read_bytes() == b"secret"
    assert why_unsafe((tmp_path / "key").stat()) is None


def test_nothing_is_written_in_the_place_of_a_file_or_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"kept")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    for name in ("file", "link"):
        with pytest.raises(FileExistsError):
            write_private(tmp_path / name, b"secret")
    assert (tmp_path / "file").read_bytes() == b"kept"
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602])
def test_a_file_that_others_may_open_is_unsafe(tmp_path: Path, mode: int) -> None:
    write_private(tmp_path / "key", b"secret")
    (tmp_path / "key").chmod(mode)
    assert why_unsafe((tmp_path / "key").stat()) == f"has mode {mode:04o}: others may read or write it"


def test_what_is_no_file_is_unsafe(tmp_path: Path) -> None:
    assert why_unsafe(tmp_path.stat()) == "isn't a file"


def test_a_directory_that_is_gone_cant_be_made_durable(tmp_path: Path) -> None:
    sync_directory(tmp_path)
    with pytest.raises(FileNotFoundError):
        sync_directory(tmp_path / "gone")
