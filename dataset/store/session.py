"""Opening the database: which server, whether it can be used, and transactions on it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from types import TracebackType
from typing import Self

from sqlalchemy import Connection, Engine, create_engine, func, select, text

from dataset.home import state_directory
from dataset.store.address import Address, parse_address
from dataset.store.embedded import ensure_running
from dataset.store.errors import StoreError, translated
from dataset.store.schema import SchemaStatus, migrate, read_status, require_current

DATABASE_URL_VARIABLE = "GLASSBENCH_DATABASE_URL"
OLDEST_SERVER = 150000
"""The oldest `server_version_num` that is supported: PostgreSQL 15."""


class Database:
    """An open PostgreSQL database. One object serves any number of threads; each transaction has its own connection."""

    def __init__(self, engine: Engine, address: Address, server_version: str) -> None:
        self._engine = engine
        self._address = address
        self.server_version = server_version

    @property
    def place(self) -> str:
        """Host or socket directory, port and database name; no user and no password."""
        return self._address.place

    @property
    def libpq_url(self) -> str:
        """The address in the form that libpq takes, password included: for a library's own connections alone."""
        return self._address.url.set(drivername="postgresql").render_as_string(hide_password=False)

    def now(self) -> datetime:
        """The server's clock, in UTC: what all processes tell time by."""
        with self.transaction() as connection:
            moment: datetime = connection.execute(select(func.clock_timestamp())).scalar_one()
        return moment.astimezone(UTC)

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """A connection in a transaction that is committed at the end and rolled back on any error."""
        with translated(self._address), self._engine.begin() as connection:
            yield connection

    def held_connection(self) -> HeldConnection:
        """A connection for one thread's transactions in a row."""
        return HeldConnection(self._engine, self._address)

    def close(self) -> None:
        """Closes every pooled connection."""
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class HeldConnection:
    """Takes a connection with its first transaction and keeps it for the next ones, until it is released."""

    def __init__(self, engine: Engine, address: Address) -> None:
        self._engine = engine
        self._address = address
        self._connection: Connection | None = None

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """As `Database.transaction`; a connection on which anything failed isn't kept."""
        with translated(self._address):
            self._connection = self._connection or self._engine.connect()
            try:
                with self._connection.begin():
                    yield self._connection
            except BaseException:
                self.release()
                raise

    def release(self) -> None:
        """Gives the connection back; whoever takes one next gets one that is known to live."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


def open_database(*, check_schema: bool = True) -> Database:
    """The database that GLASSBENCH_DATABASE_URL names, else the embedded server's, started when needed.

    StoreError where it can't be reached, is older than PostgreSQL 15 or isn't UTF-8; SchemaError (unless
    `check_schema` is false) where its schema isn't this program's.
    """
    url = os.environ.get(DATABASE_URL_VARIABLE, "").strip() or ensure_running(state_directory())
    return connect(url, check_schema=check_schema)


def connect(url: str, *, check_schema: bool = True) -> Database:
    """The database at a URL; errors as in `open_database`."""
    address = parse_address(url)
    engine = create_engine(
        address.url,
        pool_size=8,
        max_overflow=24,
        pool_pre_ping=True,
        hide_parameters=True,
        connect_args={"connect_timeout": 10, "client_encoding": "utf8", "application_name": "glassbench"},
    )
    try:
        database = Database(engine, address, _usable_server(engine, address))
        if check_schema:
            require_current(schema_status(database), database.place)
    except BaseException:
        engine.dispose()
        raise
    return database


def schema_status(database: Database) -> SchemaStatus:
    """The revision of the schema, the newest one known, and how they compare."""
    with database.transaction() as connection:
        return read_status(connection)


def upgrade(database: Database) -> None:
    """Brings the schema to the newest version in one transaction; two upgrades at once are safe."""
    with database.transaction() as connection:
        migrate(connection, database.place)


def _usable_server(engine: Engine, address: Address) -> str:
    """The server's version, once it is known to be new enough and UTF-8."""
    with translated(address), engine.connect() as connection:
        row = connection.execute(
            text(
                "SELECT current_setting('server_version_num')::int AS number,"
                " current_setting('server_version') AS version, current_setting('server_encoding') AS encoding"
            )
        ).one()
    if row.number < OLDEST_SERVER:
        raise StoreError(
            f"PostgreSQL at {address.place} is {row.version}; Glassbench needs {OLDEST_SERVER // 10000} or newer",
            code="DB-SERVER-001",
            hint="upgrade the server, or unset GLASSBENCH_DATABASE_URL to use the embedded one",
        )
    if row.encoding != "UTF8":
        raise StoreError(
            f"the database at {address.place} stores text as {row.encoding}; Glassbench needs UTF8",
            code="DB-SERVER-002",
            hint="create the database anew with ENCODING 'UTF8' TEMPLATE template0",
        )
    return str(row.version)
