"""The process of one embedded server: whether it lives, how it is reached, started and ended."""

from __future__ import annotations

import fcntl
import os
import re
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psycopg

from dataset.store.embedded_server.binaries import Binaries
from dataset.store.embedded_server.cluster import ROLE, Cluster, is_private, private_directory, tail
from dataset.store.embedded_server.errors import (
    DISK_FULL,
    ELSEWHERE,
    MAKE_ROOM,
    NO_ANSWER,
    START_FAILED,
    UNREACHABLE,
    EmbeddedPostgresError,
)

PORT = 5432
START_SECONDS = 60
FAST_STOP_SECONDS = 30
IMMEDIATE_STOP_SECONDS = 10

_SOCKET = f".s.PGSQL.{PORT}"
# sun_path holds 108 bytes on Linux and 104 on macOS, the final NUL included.
_LONGEST_SOCKET_PATH = 103
# What needs no quoting in a shell word, in PostgreSQL's list of directories, in a URL and in libpq's host.
_PLAIN_PATH = re.compile(r"[A-Za-z0-9/._-]+")


@dataclass(frozen=True, kw_only=True, slots=True)
class Postmaster:
    """What a server wrote into its pid file. The file may outlive the server."""

    pid: int
    socket_directory: Path


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """A server that accepted a connection. `version` is as PostgreSQL prints it: `18.6`."""

    postmaster: Postmaster
    version: str


def connect(postmaster: Postmaster, database: str) -> psycopg.Connection[tuple[object, ...]]:
    """An autocommitting connection to `database` over the server's socket. Raises psycopg.OperationalError."""
    return psycopg.connect(
        host=str(postmaster.socket_directory),
        port=PORT,
        user=ROLE,
        dbname=database,
        connect_timeout=5,
        autocommit=True,
    )


def answer(cluster: Cluster, database: str) -> Answer | None:
    """The server's answer to a connection to `database`, or None where it gives none."""
    postmaster = read_pid_file(cluster)
    # A stale pid file may name a directory below /tmp that somebody else has made since.
    if postmaster is None or not is_private(postmaster.socket_directory, cluster.account):
        return None
    try:
        with connect(postmaster, database) as connection:
            major, minor = divmod(connection.info.server_version, 10_000)
    except psycopg.OperationalError:
        return None
    return Answer(postmaster=postmaster, version=f"{major}.{minor}")


def read_pid_file(cluster: Cluster) -> Postmaster | None:
    """The content of the pid file; None where it is missing or not written to the end."""
    try:
        lines = _pid_file(cluster).read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except (FileNotFoundError, NotADirectoryError):
        return None
    if len(lines) < 5 or not lines[0].isdigit() or not lines[4]:
        return None
    return Postmaster(pid=int(lines[0]), socket_directory=Path(lines[4]))


def lives(cluster: Cluster) -> bool:
    """Whether a process of the server is left, ready or not.

    Each of its processes holds a lock that it inherited, so neither a reused pid nor a server in another
    container that shares the directory can deceive us. The command line stands in for the lock where a shell
    closed the descriptor.
    """
    try:
        descriptor = os.open(_life_lock(cluster), os.O_RDONLY | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    postmaster = read_pid_file(cluster)
    return postmaster is not None and _is_ours(cluster, postmaster.pid)


def start(cluster: Cluster, binaries: Binaries) -> None:
    """Start the server and wait until it accepts connections. The caller has seen that none lives.

    Raises EmbeddedPostgresError (DB-EMBED-006) with the tail of the log; the server is ended then.
    """
    sockets = socket_directory(cluster)
    # The pid in a stale file may be another process by now, and PostgreSQL would refuse to start beside it.
    _pid_file(cluster).unlink(missing_ok=True)
    (sockets / f"{_SOCKET}.lock").unlink(missing_ok=True)
    if cluster.log.exists():
        cluster.log.replace(cluster.log.with_suffix(".log.old"))
    options = f"-k {sockets} -p {PORT} -c listen_addresses= -c cluster_name={cluster.name}"
    # Relative paths: pg_ctl hands them to a shell, and no home, whatever its name, must reach that.
    files = ["-D", cluster.data.name, "-l", str(cluster.log.relative_to(cluster.directory))]
    command: list[str | Path] = [
        binaries.program("pg_ctl"),
        "start",
        "-w",
        "-t",
        str(START_SECONDS),
        *files,
        "-o",
        options,
    ]
    with _held_life_lock(cluster) as life_lock:
        done = cluster.account.run(command, directory=cluster.directory, pass_fds=(life_lock,))
    if done.returncode != 0 or answer(cluster, "postgres") is None:
        halt(cluster)
        raise _start_failure(cluster, done.stdout)


def halt(cluster: Cluster) -> bool:
    """End the server, fast first and then at once; whether no process of it is left."""
    for number, seconds in (
        (signal.SIGINT, FAST_STOP_SECONDS),
        (signal.SIGQUIT, IMMEDIATE_STOP_SECONDS),
    ):
        postmaster = read_pid_file(cluster)
        if postmaster is not None and _is_ours(cluster, postmaster.pid):
            with suppress(ProcessLookupError):
                os.kill(postmaster.pid, number)
        if _wait_until_gone(cluster, seconds):
            return True
    return False


def wait_for_answer(cluster: Cluster) -> Answer | None:
    """The answer of a server that lives, for which it gets START_SECONDS; None once no process of it is left."""
    deadline = time.monotonic() + START_SECONDS
    while lives(cluster):
        found = answer(cluster, "postgres")
        if found is not None:
            return found
        if time.monotonic() > deadline:
            raise EmbeddedPostgresError(
                f"the PostgreSQL server of {cluster.directory} runs but doesn't answer",
                code=NO_ANSWER,
                hint=f"see {cluster.log}; end the server and run the command again, or {ELSEWHERE}",
            )
        time.sleep(0.05)
    return None


def socket_directory(cluster: Cluster) -> Path:
    """A private directory, made if missing, whose path is short and plain enough for a socket.

    It is the cluster's own where that fits, else one below the temporary directory.
    """
    own = cluster.directory / "run"
    if _fits(own):
        private_directory(own, cluster.account)
        return own
    for base in (Path(tempfile.gettempdir()).resolve(), Path("/tmp")):
        short = base / f"{cluster.name}-{cluster.account.uid}"
        if _fits(short) and (cluster.account.is_us or cluster.account.reaches(base)):
            private_directory(short, cluster.account)
            return short
    raise EmbeddedPostgresError(
        f"the path {own} is too long for a socket, and no temporary directory will do",
        code=UNREACHABLE,
        hint=f"set GLASSBENCH_HOME to a directory with a shorter path, or {ELSEWHERE}",
    )


def _fits(directory: Path) -> bool:
    plain = _PLAIN_PATH.fullmatch(str(directory)) is not None
    return plain and len(str(directory / _SOCKET)) <= _LONGEST_SOCKET_PATH


def _pid_file(cluster: Cluster) -> Path:
    return cluster.data / "postmaster.pid"


def _life_lock(cluster: Cluster) -> Path:
    return cluster.directory / "server.lock"


@contextmanager
def _held_life_lock(cluster: Cluster) -> Iterator[int]:
    descriptor = os.open(_life_lock(cluster), os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        # Nobody but a glance of `lives` can hold it here, so this doesn't wait.
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield descriptor
    finally:
        os.close(descriptor)


def _is_ours(cluster: Cluster, pid: int) -> bool:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return f"cluster_name={cluster.name}".encode() in words


def _wait_until_gone(cluster: Cluster, seconds: int) -> bool:
    deadline = time.monotonic() + seconds
    while lives(cluster):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def _start_failure(cluster: Cluster, output: str) -> EmbeddedPostgresError:
    log = cluster.log.read_text(encoding="utf-8", errors="replace") if cluster.log.exists() else output
    full = "No space left on device" in log
    return EmbeddedPostgresError(
        f"the PostgreSQL server of {cluster.directory} didn't start:\n{tail(log)}",
        code=DISK_FULL if full else START_FAILED,
        hint=MAKE_ROOM if full else f"mend what the log says ({cluster.log}), or {ELSEWHERE}",
    )
