"""The embedded PostgreSQL: a real server out of a wheel, on a unix socket, started when it is needed."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import platformdirs
from psycopg import sql

from dataset.store.embedded_server import postmaster
from dataset.store.embedded_server.binaries import runnable_binaries
from dataset.store.embedded_server.cluster import ROLE, Cluster, locate_cluster, prepare_data
from dataset.store.embedded_server.errors import (
    ELSEWHERE,
    NO_ANSWER,
    EmbeddedPostgresError,
    translated_os_errors,
)

__all__ = ["DATABASE", "EmbeddedPostgresError", "EmbeddedStatus", "ensure_running", "status", "stop"]

DATABASE = "glassbench"
LOCK_SECONDS = 180


@dataclass(frozen=True, kw_only=True, slots=True)
class EmbeddedStatus:
    """What there is of the server of one state directory.

    `running` means that it accepts connections; `pid`, `version` (`18.6`) and `socket_directory` are None
    where it doesn't. `data_directory` is where the data are, or would be made.
    """

    running: bool
    pid: int | None
    version: str | None
    data_directory: Path
    socket_directory: Path | None


def ensure_running(home: Path, *, site_directory: Path | None = None) -> str:
    """The URL of the database `glassbench` in the server of the state directory `home`.

    Makes the data directory and starts the server where needed; the server outlives this process and is
    reused by the next. Safe to call from several processes at once. `site_directory` is where root keeps
    what the server's account can't reach elsewhere: the platform's site data directory if None. Raises
    EmbeddedPostgresError.
    """
    site = site_directory or _default_site_directory()
    with translated_os_errors():
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        cluster = locate_cluster(home, site, create_account=True)
        found = postmaster.answer(cluster, DATABASE)
        if found is None:
            with _start_lock(home) as start_lock:
                found = _bring_up(cluster, site, start_lock)
    sockets = found.postmaster.socket_directory
    return f"postgresql+psycopg://{ROLE}@/{DATABASE}?host={sockets}&port={postmaster.PORT}"


def stop(home: Path, *, site_directory: Path | None = None) -> bool:
    """Stop the server of `home`, open transactions rolled back; whether one was running.

    Raises EmbeddedPostgresError (DB-EMBED-009) where a process of it is left.
    """
    site = site_directory or _default_site_directory()
    with translated_os_errors():
        cluster = locate_cluster(home, site, create_account=False)
        if not postmaster.lives(cluster):
            return False
        with _start_lock(home):
            found = postmaster.read_pid_file(cluster)
            if not postmaster.halt(cluster):
                raise EmbeddedPostgresError(
                    f"the PostgreSQL server of {cluster.directory} doesn't stop",
                    code=NO_ANSWER,
                    hint="another container or user may run it: stop it there, or end its processes by hand",
                )
    if found is not None and cluster.directory not in found.socket_directory.parents:
        with suppress(OSError):
            found.socket_directory.rmdir()
    return True


def status(home: Path, *, site_directory: Path | None = None) -> EmbeddedStatus:
    """The state of the server of `home`; nothing is started or made. Raises EmbeddedPostgresError."""
    with translated_os_errors():
        cluster = locate_cluster(home, site_directory or _default_site_directory(), create_account=False)
        found = postmaster.answer(cluster, "postgres")
    return EmbeddedStatus(
        running=found is not None,
        pid=found.postmaster.pid if found else None,
        version=found.version if found else None,
        data_directory=cluster.data,
        socket_directory=found.postmaster.socket_directory if found else None,
    )


def _default_site_directory() -> Path:
    return Path(platformdirs.site_data_dir("glassbench"))


def _bring_up(cluster: Cluster, site: Path, start_lock: int) -> postmaster.Answer:
    found = postmaster.wait_for_answer(cluster)
    if found is None:
        binaries = runnable_binaries(cluster.account, site)
        prepare_data(cluster, binaries, site, start_lock=start_lock)
        postmaster.start(cluster, binaries)
        found = postmaster.wait_for_answer(cluster)
    if found is None:
        raise EmbeddedPostgresError(
            f"the PostgreSQL server of {cluster.directory} ended as soon as it had started",
            hint=f"see {cluster.log}, or {ELSEWHERE}",
        )
    _ensure_database(found)
    return found


def _ensure_database(found: postmaster.Answer) -> None:
    with postmaster.connect(found.postmaster, "postgres") as connection:
        known = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (DATABASE,)).fetchone()
        if known is None:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(DATABASE)))


@contextmanager
def _start_lock(home: Path) -> Iterator[int]:
    """Held by whoever makes, starts or stops the server of `home`, and by an initdb that outlives its caller."""
    path = home / "embedded-postgres.lock"
    descriptor = os.open(path, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        deadline = time.monotonic() + LOCK_SECONDS
        while not _locked(descriptor):
            if time.monotonic() > deadline:
                raise EmbeddedPostgresError(
                    f"another process has been starting or stopping PostgreSQL for {LOCK_SECONDS} seconds",
                    code=NO_ANSWER,
                    hint=f"end the process that holds {path} (fuser shows it) and run the command again",
                )
            time.sleep(0.05)
        yield descriptor
    finally:
        os.close(descriptor)


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
