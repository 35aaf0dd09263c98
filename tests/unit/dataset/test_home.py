from __future__ import annotations

import os
import stat
from pathlib import Path

import platformdirs
import pytest

from dataset.home import HomeError, state_directory


@pytest.fixture
def set_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    home = tmp_path / "above" / "state"
    monkeypatch.setenv("GLASSBENCH_HOME", str(home))
    return home


def test_missing_state_directory_is_made_for_its_owner_alone(set_home: Path) -> None:
    assert state_directory() == set_home
    assert stat.S_IMODE(set_home.stat().st_mode) == 0o700


def test_existing_state_directory_keeps_its_mode(set_home: Path) -> None:
    set_home.mkdir(parents=True)
    set_home.chmod(0o755)
    state_directory()
    assert stat.S_IMODE(set_home.stat().st_mode) == 0o755


def test_relative_setting_becomes_absolute(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GLASSBENCH_HOME", "here")
    assert state_directory() == tmp_path / "here"


def test_tilde_is_the_users_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GLASSBENCH_HOME", "~/state")
    assert state_directory() == tmp_path / "state"


@pytest.mark.parametrize("setting", ["", None])
def test_without_a_setting_it_is_the_platforms_user_data_directory(
    setting: str | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if setting is None:
        monkeypatch.delenv("GLASSBENCH_HOME", raising=False)
    else:
        monkeypatch.setenv("GLASSBENCH_HOME", setting)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    found = state_directory()
    assert found == Path(platformdirs.user_data_dir("glassbench"))
    assert tmp_path in found.parents


def test_file_in_its_place_is_refused_by_name(set_home: Path) -> None:
    set_home.parent.mkdir()
    set_home.write_text("")
    with pytest.raises(HomeError, match=str(set_home)) as caught:
        state_directory()
    assert caught.value.code == "HOME-001"
    assert "GLASSBENCH_HOME" in caught.value.hint


def test_file_above_it_is_refused_by_name(set_home: Path) -> None:
    set_home.parent.write_text("")
    with pytest.raises(HomeError, match="is a file") as caught:
        state_directory()
    assert caught.value.code == "HOME-001"


def test_unknown_user_in_the_setting_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLASSBENCH_HOME", "~no-such-user-here/state")
    with pytest.raises(HomeError, match="no-such-user-here") as caught:
        state_directory()
    assert caught.value.code == "HOME-003"


def test_unwritable_state_directory_is_refused_with_the_mend(set_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_home.mkdir(parents=True)
    monkeypatch.setattr(os, "access", lambda _path, _mode: False)  # root may write everywhere
    with pytest.raises(HomeError, match="can't be written") as caught:
        state_directory()
    assert caught.value.code == "HOME-002"
    assert "write permission" in caught.value.hint
