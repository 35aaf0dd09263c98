from __future__ import annotations

import ctypes
from pathlib import Path

import pytest

from publisher.projection.exchange import exchange


def test_two_directories_change_places_with_all_that_is_in_them(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).touch()
    if not exchange(tmp_path / "a", tmp_path / "b"):
        pytest.skip("this file system can't exchange two directories")
    assert (tmp_path / "a" / "b").exists()
    assert (tmp_path / "b" / "a").exists()


def test_a_name_that_is_missing_is_an_error_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    with pytest.raises(FileNotFoundError) as caught:
        exchange(tmp_path / "a", tmp_path / "b")
    assert caught.value.filename2 == str(tmp_path / "b")


def test_a_system_without_the_call_says_it_is_not_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class OldLibrary:
        pass

    monkeypatch.setattr(ctypes, "CDLL", lambda *args, **kwargs: OldLibrary())
    assert exchange(tmp_path, tmp_path) is False
