"""What is kept between processes is taken only where nobody else can have written it, and it is whole."""

import errno
import os
import time
from pathlib import Path

import pytest

from dataset.cache import KEPT_SECONDS, cache_folder, keep, read_kept


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GLASSBENCH_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_what_was_kept_is_read_again_and_nobody_else_may_read_it(folder: Path) -> None:
    assert read_kept("a.thing") is None
    keep("a.thing", b"words")
    assert read_kept("a.thing") == b"words"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert [path.name for path in folder.iterdir()] == ["a.thing"]


@pytest.mark.parametrize("changed", [b"", b"x", b"words"])
def test_what_is_cut_or_changed_is_as_if_it_were_not_there(folder: Path, changed: bytes) -> None:
    keep("a.thing", b"words")
    (folder / "a.thing").write_bytes(changed)
    assert read_kept("a.thing") is None


def test_what_others_may_write_is_not_believed(folder: Path) -> None:
    keep("a.thing", b"words")
    (folder / "a.thing").chmod(0o666)
    assert read_kept("a.thing") is None


def test_where_nothing_can_be_written_nothing_is_kept_and_nothing_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("GLASSBENCH_CACHE_DIR", str(tmp_path / "file/cache"))
    keep("a.thing", b"words")
    assert read_kept("a.thing") is None


def test_what_was_kept_too_long_ago_gives_way_to_what_is_kept_of_its_kind(folder: Path) -> None:
    for name in ("old.thing", "young.thing", "old.other"):
        keep(name, b"words")
    for name, seconds in (("old.thing", KEPT_SECONDS + 60), ("young.thing", KEPT_SECONDS - 60), ("old.other", 1e7)):
        os.utime(folder / name, (time.time() - seconds,) * 2)
    keep("new.thing", b"words")
    assert {path.name for path in folder.iterdir()} == {"young.thing", "old.other", "new.thing"}


def test_what_cant_be_written_leaves_no_part_of_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep("a.thing", b"words")

    def full(path: Path, data: bytes) -> int:
        raise OSError(errno.ENOSPC, "no space left")

    monkeypatch.setattr(Path, "write_bytes", full)
    keep("a.thing", b"others")
    assert read_kept("a.thing") == b"words"
    assert [path.name for path in folder.iterdir()] == ["a.thing"]


def test_without_a_variable_it_lies_in_the_cache_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("GLASSBENCH_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "glassbench"
