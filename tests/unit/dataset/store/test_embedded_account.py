from __future__ import annotations

import os
import pwd
import shutil
from pathlib import Path

import pytest

from dataset.store.embedded_server.account import ServerAccount, service_account
from dataset.store.embedded_server.errors import EmbeddedPostgresError

US, GROUP = os.geteuid(), os.getegid()
STRANGER = 54321


@pytest.mark.parametrize(
    ("mode", "uid", "gid", "allowed"),
    [
        (0o700, US, GROUP, True),
        (0o677, US, GROUP, False),  # the owner's bits decide, even where the others' are wider
        (0o710, STRANGER, GROUP, True),
        (0o701, STRANGER, GROUP, False),
        (0o701, STRANGER, STRANGER, True),
        (0o710, STRANGER, STRANGER, False),
        (0o704, STRANGER, STRANGER, False),
    ],
)
def test_only_the_bits_of_the_first_matching_class_count(
    mode: int, uid: int, gid: int, allowed: bool, tmp_path: Path
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    os.chown(folder, US, GROUP)
    folder.chmod(mode)
    assert ServerAccount(name="someone", uid=uid, gid=gid).allows(folder, 1) is allowed
    folder.chmod(0o700)


def test_one_closed_folder_above_makes_a_directory_unreachable(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    inside = closed / "inside"
    inside.mkdir(parents=True)
    inside.chmod(0o755)
    closed.chmod(0o700)
    stranger = ServerAccount(name="someone", uid=STRANGER, gid=STRANGER)
    assert stranger.allows(inside, 1)
    assert not stranger.reaches(inside)


def test_link_is_judged_by_where_it_leads(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(closed)
    assert not ServerAccount(name="someone", uid=STRANGER, gid=STRANGER).reaches(tmp_path / "link")


def test_missing_directory_is_not_reachable(tmp_path: Path) -> None:
    assert not ServerAccount(name="someone", uid=STRANGER, gid=STRANGER).reaches(tmp_path / "missing")


def _nobody_there(_name: str) -> pwd.struct_passwd:
    raise KeyError


def test_root_without_any_account_is_refused_with_a_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(pwd, "getpwnam", _nobody_there)
    monkeypatch.setattr(shutil, "which", lambda _name, path: None)
    with pytest.raises(EmbeddedPostgresError, match="no useradd") as caught:
        service_account(create=True)
    assert caught.value.code == "DB-EMBED-002"
    assert "normal user" in caught.value.hint
    assert "GLASSBENCH_DATABASE_URL" in caught.value.hint


def test_root_without_useradd_falls_back_to_the_account_of_postgresql(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    entry = pwd.struct_passwd(("postgres", "x", 71, 72, "", "/", "/bin/sh"))
    known = {"postgres": entry}
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(pwd, "getpwnam", known.__getitem__)
    monkeypatch.setattr(shutil, "which", lambda _name, path: None)
    assert service_account(create=True) == ServerAccount(name="postgres", uid=71, gid=72)


def test_account_that_is_root_by_another_name_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = pwd.struct_passwd(("glassbench", "x", 0, 0, "", "/", "/bin/sh"))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(pwd, "getpwnam", lambda _name: entry)
    assert service_account(create=False).uid == -1
