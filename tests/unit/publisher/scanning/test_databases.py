from __future__ import annotations

import os
from pathlib import Path

import hyperscan
import pytest

from dataset import cache
from publisher.scanning.databases import Expression, compiled, kept, loaded
from publisher.scanning.errors import ScanError
from publisher.scanning.gate import Pass
from publisher.scanning.rules.known_values import KnownValues

WORDS = [Expression(b"one|two", 3, 0), Expression(b"three", 4, hyperscan.HS_FLAG_CASELESS)]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GLASSBENCH_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def seen(database: hyperscan.Database, text: bytes) -> set[int]:
    found: set[int] = set()
    Pass(database).look(text, found)
    return found


def test_what_was_compiled_once_is_loaded_and_sees_the_same(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert loaded(WORDS) is None
    kept(WORDS)
    monkeypatch.setattr(hyperscan, "dumpb", None)
    assert [seen(kept(WORDS), text) for text in (b"two", b"x Three", b"a one three", b"four")] == [
        {3},
        {4},
        {3, 4},
        set(),
    ]


def test_other_patterns_numbers_or_flags_are_another_database(folder: Path) -> None:
    kept(WORDS)
    assert loaded([Expression(b"one|tw", 3, 0), WORDS[1]]) is None
    assert loaded([Expression(b"one|two", 5, 0), WORDS[1]]) is None
    assert loaded([WORDS[0], Expression(b"three", 4, 0)]) is None


@pytest.mark.parametrize("spoiled", ["cut", "one bit", "empty", "blind"])
def test_file_that_is_not_as_it_was_written_is_made_anew(folder: Path, spoiled: str) -> None:
    kept(WORDS)
    (file,) = folder.iterdir()
    data = file.read_bytes()
    blind = hyperscan.dumpb(compiled([Expression(b"nothing", 3, 0)]))
    file.write_bytes(
        {
            "cut": data[:-1],
            "one bit": data[:90] + bytes([data[90] ^ 1]) + data[91:],
            "empty": b"",
            "blind": data[:32] + blind,
        }[spoiled]
    )
    assert loaded(WORDS) is None
    assert seen(kept(WORDS), b"two") == {3}
    assert file.read_bytes() == data


@pytest.mark.skipif(os.name != "posix", reason="no permission bits")
@pytest.mark.parametrize("mode", [0o620, 0o602])
def test_file_that_somebody_else_may_write_is_not_trusted(folder: Path, mode: int) -> None:
    kept(WORDS)
    (file,) = folder.iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    file.chmod(mode)
    assert loaded(WORDS) is None


def test_patterns_are_compiled_where_nothing_can_be_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("GLASSBENCH_CACHE_DIR", str(tmp_path / "file" / "cache"))
    assert seen(kept(WORDS), b"two") == {3}


def test_what_was_stored_long_ago_gives_way(folder: Path) -> None:
    kept(WORDS)
    (old,) = folder.iterdir()
    os.utime(old, (0, old.stat().st_mtime - cache.KEPT_SECONDS - 1))
    kept(WORDS[:1])
    assert old not in set(folder.iterdir())


def test_values_of_credentials_are_never_kept(folder: Path) -> None:
    assert list(KnownValues({"SOME_VARIABLE": "a value of nobody"}).find(b"x a value of nobody"))
    assert not folder.exists()


def test_pattern_that_the_engine_does_not_take_is_an_error() -> None:
    with pytest.raises(ScanError, match="compiled"):
        compiled([Expression(b"(", 0, 0)])
