"""Everything that can keep the embedded PostgreSQL from running, one stable code per kind."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from dataset.errors import GlassbenchError

NO_BINARIES = "DB-EMBED-001"
NO_ACCOUNT = "DB-EMBED-002"
UNREACHABLE = "DB-EMBED-003"
UNWRITABLE = "DB-EMBED-004"
INIT_FAILED = "DB-EMBED-005"
START_FAILED = "DB-EMBED-006"
OTHER_VERSION = "DB-EMBED-007"
NOT_TRUSTED = "DB-EMBED-008"
NO_ANSWER = "DB-EMBED-009"
DISK_FULL = "DB-EMBED-010"

ELSEWHERE = "set GLASSBENCH_DATABASE_URL to a PostgreSQL of your own (15 or newer)"
MAKE_ROOM = f"make room there and run the command again, or {ELSEWHERE}"


class EmbeddedPostgresError(GlassbenchError):
    """The embedded PostgreSQL can't be started, reached or stopped.

    `DB-EMBED-001` no usable binaries · `-002` root, and no account to run the server · `-003` the account
    can't reach the files · `-004` a directory can't be written · `-005` initdb failed · `-006` the server
    didn't start · `-007` the data belong to another major version · `-008` a directory is not what we made or
    belongs to someone else · `-009` no answer in time · `-010` the disk is full.
    """

    code = START_FAILED


@contextmanager
def translated_os_errors() -> Iterator[None]:
    """Turn what the operating system refuses into an EmbeddedPostgresError that names the path."""
    try:
        yield
    except OSError as error:
        message = f"{error.filename or 'embedded PostgreSQL'}: {error.strerror or error}"
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise EmbeddedPostgresError(message, code=DISK_FULL, hint=MAKE_ROOM) from error
        raise EmbeddedPostgresError(
            message,
            code=UNWRITABLE,
            hint=f"set GLASSBENCH_HOME to a directory that you can write, or {ELSEWHERE}",
        ) from error
