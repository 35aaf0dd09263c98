"""Which version of the schema a database has, and how it comes to the newest one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, func, select

from dataset.store.errors import SchemaError

UPGRADE_COMMAND = "glassbench db upgrade"
_MIGRATION_LOCK = 0x676C6173735F6462
"""Two upgrades at once wait for each other on this advisory lock."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SchemaStatus:
    """The schema's revision in the database, the newest one this program knows, and how they compare."""

    current: str | None
    head: str
    state: Literal["current", "missing", "old", "newer"]


def read_status(connection: Connection) -> SchemaStatus:
    """The state of the schema behind a connection; a revision that this program doesn't know is `newer`."""
    scripts = ScriptDirectory.from_config(alembic_config(connection))
    head = scripts.get_current_head()
    if head is None:
        raise SchemaError("this installation of Glassbench holds no migrations", hint="install it again")
    current = MigrationContext.configure(connection).get_current_revision()
    if current is None:
        return SchemaStatus(current=None, head=head, state="missing")
    if current == head:
        return SchemaStatus(current=current, head=head, state="current")
    known = {script.revision for script in scripts.walk_revisions()}
    return SchemaStatus(current=current, head=head, state="old" if current in known else "newer")


def require_current(status: SchemaStatus, place: str) -> None:
    """Raises SchemaError, with the command that mends it, unless the schema is the newest one."""
    if status.state == "missing":
        raise SchemaError(
            f"the database at {place} has no Glassbench schema yet", code="DB-SCHEMA-001", hint=UPGRADE_COMMAND
        )
    if status.state == "old":
        raise SchemaError(
            f"the schema of the database at {place} is {status.current}; this program needs {status.head}",
            code="DB-SCHEMA-002",
            hint=UPGRADE_COMMAND,
        )
    if status.state == "newer":
        raise SchemaError(
            f"the schema of the database at {place} is {status.current}, made by a newer Glassbench than this one",
            code="DB-SCHEMA-003",
            hint="upgrade Glassbench to the version that made it, or newer",
        )


def migrate(connection: Connection, place: str) -> None:
    """Brings the schema to the newest revision, inside the caller's transaction; a concurrent upgrade is waited for."""
    connection.execute(select(func.pg_advisory_xact_lock(_MIGRATION_LOCK)))
    status = read_status(connection)
    if status.state == "newer":
        require_current(status, place)
    command.upgrade(alembic_config(connection), "head")


def alembic_config(connection: Connection) -> Config:
    """Alembic's settings for this package's migrations, run on the given connection."""
    config = Config(attributes={"connection": connection})
    config.set_main_option("path_separator", "os")
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    return config
