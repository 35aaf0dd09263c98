"""Key files: made once and for their owner alone, chosen without guessing, refused where others may read them."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from publisher.release_log.errors import KeyFileError
from publisher.release_log.key_file import chosen_key, key_path, load_signer, new_key, read_key
from tests.factories.release_logs import SIGNER

NAME = "example.org/bench"


@contextmanager
def refused(code: str, words: str = "") -> Iterator[None]:
    """Holds the errors to a code, a hint with some words, and to never telling the key."""
    with pytest.raises(KeyFileError) as caught:
        yield
    assert caught.value.code == code
    assert caught.value.hint
    assert words in caught.value.hint
    assert SIGNER.private_text()[-20:] not in f"{caught.value.message}{caught.value.hint}"


def private(path: Path, text: str = f"{SIGNER.private_text()}\n") -> Path:
    path.write_text(text)
    path.chmod(0o600)
    return path


def test_a_new_key_is_a_file_for_its_owner_alone_whatever_the_umask(tmp_path: Path) -> None:
    path = key_path(NAME, tmp_path)
    before = os.umask(0)
    try:
        signer = new_key(NAME, path)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert path == tmp_path / "keys" / "example.org+bench.skey"
    assert [found.name for found in path.parent.iterdir()] == [path.name]
    assert path.read_text() == f"{signer.private_text()}\n"
    assert read_key(path) == signer


def test_two_new_keys_differ(tmp_path: Path) -> None:
    assert new_key(NAME, tmp_path / "a").seed != new_key(NAME, tmp_path / "b").seed


def test_a_key_is_never_replaced(tmp_path: Path) -> None:
    path = private(tmp_path / "a.skey")
    with refused("KEY-FILE-001"):
        new_key(NAME, path)
    assert read_key(path) == SIGNER
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("inside", ["", "keys/deep"])
@pytest.mark.parametrize("is_file", [True, False])
def test_no_key_is_made_in_a_git_work_tree(tmp_path: Path, inside: str, is_file: bool) -> None:
    marker = tmp_path / "tree" / ".git"
    marker.parent.mkdir()
    marker.write_text("gitdir: elsewhere") if is_file else marker.mkdir()
    with refused("KEY-GIT-001"):
        new_key(NAME, marker.parent / inside / "a.skey")
    (tmp_path / "link").symlink_to(marker.parent)
    with refused("KEY-GIT-001"):
        new_key(NAME, tmp_path / "link" / inside / "a.skey")
    assert list(marker.parent.iterdir()) == [marker]


@pytest.mark.parametrize(
    "name",
    [
        *("", "/", "a/", "/a", "a//b", "a/../b", "..", ".a", "a.", "a b", "a+b", "A", "é", "a\n", "a\x00", "a" * 101),
        *("https://example.org", "-a", "a\\b"),
    ],
)
def test_what_is_no_name_makes_no_key(tmp_path: Path, name: str) -> None:
    with refused("KEY-NAME-001"):
        key_path(name, tmp_path)
    with refused("KEY-NAME-001"):
        new_key(name, tmp_path / "a.skey")
    assert list(tmp_path.iterdir()) == []


def test_names_that_differ_have_files_that_differ(tmp_path: Path) -> None:
    names = ["a/b", "a.b", "a-b", "a/b/c", "a/b_c", "a/b.c"]
    assert len({key_path(name, tmp_path) for name in names}) == len(names)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o601])
def test_a_key_that_others_may_read_is_refused_with_the_mend(tmp_path: Path, mode: int) -> None:
    path = private(tmp_path / "a.skey")
    path.chmod(mode)
    with refused("KEY-FILE-003", "chmod 600"):
        read_key(path)


def test_a_link_a_folder_and_a_pipe_are_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(private(tmp_path / "a.skey"))
    (tmp_path / "folder").mkdir(mode=0o700)
    os.mkfifo(tmp_path / "pipe", 0o600)
    for path in (tmp_path / "link", tmp_path / "folder", tmp_path / "pipe", Path("/dev/zero")):
        with refused("KEY-FILE-003", "name the file itself"):
            read_key(path)


@pytest.mark.parametrize("is_file", [True, False])
def test_a_key_that_came_to_stand_in_a_git_work_tree_is_refused_with_the_mend(tmp_path: Path, is_file: bool) -> None:
    tree = tmp_path / "tree"
    (tree / "kept").mkdir(parents=True)
    key = private(tree / "kept" / "a.skey")
    (tmp_path / "link").symlink_to(tree)
    assert read_key(key) == SIGNER
    (tree / ".git").write_text("gitdir: elsewhere") if is_file else (tree / ".git").mkdir()
    for path in (key, tmp_path / "link" / "kept" / "a.skey"):
        with refused("KEY-GIT-001", f"outside {tree}"):
            read_key(path)
        with refused("KEY-GIT-001"):
            load_signer(path, {}, tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "",
        str(SIGNER.verifier),
        SIGNER.private_text()[:-1],
        f"{SIGNER.private_text()}\n\n",
        f" {SIGNER.private_text()}",
        f"{SIGNER.private_text()}\r\n",
        SIGNER.private_text().replace("bench", "other"),
        "x" * 10_000,
    ],
)
def test_a_file_that_holds_no_key_is_refused_without_quoting_it(tmp_path: Path, text: str) -> None:
    with refused("KEY-FILE-004"):
        read_key(private(tmp_path / "a.skey", text))


def test_a_missing_key_is_told(tmp_path: Path) -> None:
    with refused("KEY-FILE-002"):
        read_key(tmp_path / "a.skey")


def test_the_given_file_goes_before_the_variable_and_that_before_the_only_key(tmp_path: Path) -> None:
    assert chosen_key(None, {}, tmp_path) is None
    assert load_signer(None, {}, tmp_path) is None
    only = key_path(NAME, tmp_path)
    made = new_key(NAME, only)
    (only.parent / ".rest.skey").write_text("")
    (only.parent / "notes.txt").write_text("")
    assert load_signer(None, {"GLASSBENCH_SIGNING_KEY": " "}, tmp_path) == made
    named = private(tmp_path / "named.skey")
    environ = {"GLASSBENCH_SIGNING_KEY": str(named)}
    assert chosen_key(None, environ, tmp_path) == named
    assert chosen_key(only, environ, tmp_path) == only


def test_several_keys_and_none_named_is_an_error(tmp_path: Path) -> None:
    for name in ("example.org/a", "example.org/b"):
        new_key(name, key_path(name, tmp_path))
    with refused("KEY-CHOICE-001"):
        chosen_key(None, {}, tmp_path)
    assert chosen_key(key_path("example.org/a", tmp_path), {}, tmp_path) is not None


def test_a_named_key_that_is_missing_is_an_error_and_not_an_unsigned_release(tmp_path: Path) -> None:
    with refused("KEY-FILE-002"):
        load_signer(None, {"GLASSBENCH_SIGNING_KEY": str(tmp_path / "gone")}, tmp_path)
