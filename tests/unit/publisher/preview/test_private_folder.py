"""Folders that nobody else can enter, and that no killed process leaves for long."""

from __future__ import annotations

import os
import signal
import stat
from pathlib import Path

import pytest

from publisher.preview.private_folder import private_folder


def test_it_is_its_owners_alone_and_gone_at_the_end_however_that_comes(tmp_path: Path) -> None:
    with private_folder(tmp_path / "private") as folder:
        (folder / "file").write_text("x")
        assert stat.S_IMODE(folder.stat().st_mode) == stat.S_IMODE(folder.parent.stat().st_mode) == 0o700
    assert not folder.exists()
    with pytest.raises(KeyboardInterrupt), private_folder(tmp_path / "private") as folder:
        raise KeyboardInterrupt
    assert list((tmp_path / "private").iterdir()) == []


def test_what_a_killed_process_left_is_removed_by_the_next_and_what_is_in_use_is_not(tmp_path: Path) -> None:
    parent = tmp_path / "private"
    child = os.fork()
    if child == 0:
        with private_folder(parent) as folder:
            (folder / "file").write_text("x")
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    assert len(list(parent.iterdir())) == 1
    with private_folder(parent) as first:
        assert list(parent.iterdir()) == [first]
        with private_folder(parent) as second:
            assert set(parent.iterdir()) == {first, second}
