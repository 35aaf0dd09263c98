"""`runs/{run_id}.json` is written whole or not at all, and a fault of the disk says what to do."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from dataset.record import BatchId, RunId
from engine.telemetry.run_file import RunFileError, remove_unfinished, run_file, write_run_file

RUN = RunId("b-0001")
DEAD = 2**22 + 1
"""Greater than any process id can be."""


def names(home: Path) -> list[str]:
    return sorted(path.name for path in (home / "runs").iterdir())


def test_the_file_holds_the_bytes_and_nothing_lies_beside_it(tmp_path: Path) -> None:
    assert write_run_file(tmp_path, RUN, b"one")
    assert run_file(tmp_path, RUN).read_bytes() == b"one"
    assert names(tmp_path) == ["b-0001.json"]


def test_an_equal_file_is_left_alone_and_a_different_one_replaced(tmp_path: Path) -> None:
    write_run_file(tmp_path, RUN, b"one")
    before = run_file(tmp_path, RUN).stat()
    assert not write_run_file(tmp_path, RUN, b"one")
    after = run_file(tmp_path, RUN).stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert write_run_file(tmp_path, RUN, b"two")
    assert run_file(tmp_path, RUN).read_bytes() == b"two"


@pytest.mark.parametrize("step", ["write_bytes", "replace", "mkdir"])
def test_a_full_disk_leaves_the_old_file_and_says_that_nothing_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    write_run_file(tmp_path, RUN, b"one")

    def full(path: Path, *_: object, **__: object) -> None:
        if step == "write_bytes":
            path.touch()
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(Path, step, full)
        with pytest.raises(RunFileError, match="No space left on device") as caught:
            write_run_file(tmp_path, RUN, b"two")
    assert caught.value.code == "RUN-FILE-001"
    assert "safe in the database" in caught.value.hint
    assert run_file(tmp_path, RUN).read_bytes() == b"one"
    assert names(tmp_path) == ["b-0001.json"]


def test_a_folder_that_is_a_file_is_an_error_of_ours(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("in the way")
    with pytest.raises(RunFileError):
        write_run_file(tmp_path, RUN, b"one")


def test_only_unfinished_files_of_dead_processes_and_of_the_batch_are_removed(tmp_path: Path) -> None:
    write_run_file(tmp_path, RUN, b"one")
    living = f".b-0002.{os.getpid()}.tmp"
    others = [f".c-0001.{DEAD}.tmp", f".b2-0001.{DEAD}.tmp", "b-0001.tmp", ".b-0001.tmp", living]
    for name in (f".b-0001.{DEAD}.tmp", f".b-0002.{DEAD}.tmp", *others):
        (tmp_path / "runs" / name).touch()
    remove_unfinished(tmp_path, BatchId("b"))
    assert names(tmp_path) == sorted([*others, "b-0001.json"])


def test_nothing_to_remove_is_well(tmp_path: Path) -> None:
    remove_unfinished(tmp_path, BatchId("b"))
    assert list(tmp_path.iterdir()) == []
