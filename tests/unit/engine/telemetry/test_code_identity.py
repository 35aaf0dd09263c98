"""Which code ran: the version, and the commit only in a checkout of its own."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from engine.telemetry import code_identity


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=T", "-c", "user.email=t@example.org"]
    subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    (tmp_path / "engine").mkdir()
    (tmp_path / "engine" / "a.py").write_text("a = 1\n")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "one")
    return tmp_path


def test_a_clean_checkout_has_its_commit(checkout: Path) -> None:
    commit = code_identity._commit(checkout)
    assert commit is not None
    assert len(commit) == 40


def test_uncommitted_code_is_marked(checkout: Path) -> None:
    (checkout / "engine" / "a.py").write_text("a = 2\n")
    assert (code_identity._commit(checkout) or "").endswith(code_identity.UNCOMMITTED)


def test_changes_outside_the_code_do_not_matter(checkout: Path) -> None:
    (checkout / "notes.txt").write_text("n")
    assert not (code_identity._commit(checkout) or "").endswith(code_identity.UNCOMMITTED)


def test_a_folder_that_is_no_checkout_of_its_own_has_no_commit(checkout: Path) -> None:
    inside = checkout / "site-packages"
    inside.mkdir()
    assert code_identity._commit(inside) is None


def test_without_git_there_is_no_commit(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(checkout / "nowhere"))
    assert code_identity._commit(checkout) is None
