"""The operating system account that runs the server: PostgreSQL refuses to run as root."""

from __future__ import annotations

import os
import pwd
import shutil
import stat
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dataset.store.embedded_server.errors import ELSEWHERE, NO_ACCOUNT, EmbeddedPostgresError

OWN_ACCOUNT = "glassbench"
FALLBACK_ACCOUNT = "postgres"

READ, EXECUTE = 4, 1


@dataclass(frozen=True, kw_only=True, slots=True)
class ServerAccount:
    """Who runs the server. `uid` and `gid` are -1 for an account that isn't made yet."""

    name: str
    uid: int
    gid: int

    @property
    def is_us(self) -> bool:
        """Whether this process already runs as the account, so that nothing needs to be switched."""
        return self.uid == os.geteuid()

    def allows(self, path: Path, bits: int) -> bool:
        """Whether the permission bits of an existing `path` grant all of `bits` (4 read, 1 execute).

        Only the primary group counts: the server runs with no other.
        """
        try:
            found = path.stat()
        except OSError:
            return False
        mode = stat.S_IMODE(found.st_mode)
        if found.st_uid == self.uid:
            granted = mode >> 6
        elif found.st_gid == self.gid:
            granted = mode >> 3
        else:
            granted = mode
        return granted & bits == bits

    def reaches(self, directory: Path) -> bool:
        """Whether the account may pass through `directory` and every folder above it."""
        resolved = directory.resolve()
        return all(self.allows(folder, EXECUTE) for folder in (resolved, *resolved.parents))

    def run(
        self, command: Sequence[str | Path], *, directory: Path, pass_fds: Sequence[int] = ()
    ) -> subprocess.CompletedProcess[str]:
        """Run `command` in `directory` as this account; its output and exit code, whatever they are."""
        user = None if self.is_us else self.uid
        return subprocess.run(
            command,
            cwd=directory,
            env=_ENVIRONMENT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
            pass_fds=pass_fds,
            user=user,
            group=None if user is None else self.gid,
            extra_groups=None if user is None else [],
            umask=0o077,
        )


# Nothing of the caller's environment: PGDATA, PGPORT or PGOPTIONS there would aim at another server.
_ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}


def account_of(uid: int, gid: int) -> ServerAccount:
    """The account with this uid; one without an entry in the user database is named by its number."""
    try:
        return _from_entry(pwd.getpwuid(uid))
    except KeyError:
        return ServerAccount(name=f"uid {uid}", uid=uid, gid=gid)


def service_account(*, create: bool) -> ServerAccount:
    """The account that runs a new cluster: ourselves, or, as root, a system user of our own.

    With `create` false the user database is left alone, and a missing account comes back with uid -1.
    Raises EmbeddedPostgresError (DB-EMBED-002) where root can have no such account.
    """
    if os.geteuid() != 0:
        return account_of(os.geteuid(), os.getegid())
    account = _named(OWN_ACCOUNT)
    if account is None and create:
        reason = _create()
        account = _named(OWN_ACCOUNT) or _named(FALLBACK_ACCOUNT)
        if account is None:
            raise EmbeddedPostgresError(
                f"PostgreSQL refuses to run as root, and there is no account '{OWN_ACCOUNT}' or "
                f"'{FALLBACK_ACCOUNT}' to run it: {reason}",
                code=NO_ACCOUNT,
                hint=f"run the command as a normal user, or {ELSEWHERE}",
            )
    return account or ServerAccount(name=OWN_ACCOUNT, uid=-1, gid=-1)


def _from_entry(entry: pwd.struct_passwd) -> ServerAccount:
    return ServerAccount(name=entry.pw_name, uid=entry.pw_uid, gid=entry.pw_gid)


def _named(name: str) -> ServerAccount | None:
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        return None
    return None if entry.pw_uid == 0 else _from_entry(entry)


def _create() -> str:
    """Why the account could not be made; of no meaning where it was (another process may win the race)."""
    program = shutil.which("useradd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
    if program is None:
        return "there is no useradd here"
    command = [program, "--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin"]
    done = subprocess.run(
        [*command, OWN_ACCOUNT], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    return done.stderr.strip() or f"useradd ended with {done.returncode}"
