"""Every way the store can fail, and the one place where foreign database errors become ours.

A message carries the place of the server, the SQLSTATE and the name of a constraint; never a password, a statement or
the content of a row.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from dataset.errors import GlassbenchError
from dataset.store.address import Address


class StoreError(GlassbenchError):
    """PostgreSQL refused, failed or can't be reached."""

    code = "DB-001"


class SchemaError(StoreError):
    """The schema isn't the one this program works with."""

    code = "DB-SCHEMA-001"


_BY_STATE: dict[str, tuple[str, str, str]] = {
    "53100": ("DB-DISK-001", "the server's disk is full", "free space on the server, then run the command again"),
    "53": ("DB-LIMIT-001", "the server is out of connections or memory", "raise its limits or run less at once"),
    "42501": ("DB-PERM-001", "permission denied", "give the database role the rights it needs on this database"),
    "28": ("DB-CONN-001", "the server refused the login", "check GLASSBENCH_DATABASE_URL"),
    "3D000": ("DB-CONN-001", "the database doesn't exist", "create it, or check GLASSBENCH_DATABASE_URL"),
    "08": ("DB-CONN-002", "the connection was lost", "run the command again: what was recorded is kept"),
    "57P": (
        "DB-CONN-002",
        "the connection was ended by the server",
        "run the command again: what was recorded is kept",
    ),
    "40": ("DB-BUSY-001", "another transaction was in the way", "run the command again"),
    "55P03": ("DB-BUSY-001", "a lock couldn't be had in time", "run the command again"),
    "23": ("DB-CONSTRAINT-001", "the database refused a row", ""),
    "22": ("DB-TEXT-001", "a value that the database can't hold", ""),
    "42": ("DB-SCHEMA-004", "a table or column isn't there", "see `glassbench db status`"),
    "25006": ("DB-PERM-001", "the server is read-only", "point GLASSBENCH_DATABASE_URL at the primary server"),
}
"""By SQLSTATE or its beginning (PostgreSQL manual, appendix A); the longest beginning counts."""


@contextmanager
def translated(address: Address) -> Iterator[None]:
    """Foreign database errors leave as StoreError; their own text, which may quote rows, is dropped."""
    try:
        yield
    except UnicodeEncodeError:
        raise StoreError(
            "text with a lone surrogate has no UTF-8 form and can't be stored", code="DB-TEXT-001"
        ) from None
    except PoolTimeout:
        raise StoreError("every database connection is in use", code="DB-LIMIT-001") from None
    except DBAPIError as error:
        cause = error.orig if isinstance(error.orig, psycopg.Error) else psycopg.Error()
        raise translate(cause, address, lost=error.connection_invalidated) from None
    except psycopg.Error as error:
        raise translate(error, address) from None
    except SQLAlchemyError as error:
        raise StoreError(f"the database layer failed: {type(error).__name__}") from None


def translate(error: psycopg.Error, address: Address, *, lost: bool = False) -> StoreError:
    """The StoreError that says what a psycopg error means."""
    state = error.sqlstate or ""
    known = next((_BY_STATE[state[:n]] for n in range(len(state), 0, -1) if state[:n] in _BY_STATE), None)
    if known is None and lost:
        known = _BY_STATE["08"]
    if known is None and not state and isinstance(error, psycopg.DataError):
        known = ("DB-TEXT-001", "text with a NUL character can't be stored", "")
    if known is None and not state:
        return unreachable(error, address)
    code, meaning, hint = known or ("DB-001", "the database failed", "")
    name = f" ({error.diag.constraint_name})" if error.diag.constraint_name else ""
    number = f" [SQLSTATE {state}]" if state else ""
    return StoreError(f"PostgreSQL at {address.place}: {meaning}{name}{number}", code=code, hint=hint)


def unreachable(error: psycopg.Error, address: Address) -> StoreError:
    """No connection: the reason is libpq's own first line, with everything secret taken out."""
    lines = str(error).strip().splitlines()
    reason = address.without_secrets(lines[0]) if lines else type(error).__name__
    return StoreError(
        f"PostgreSQL at {address.place} can't be reached: {reason}",
        code="DB-CONN-001",
        hint="start the server or correct GLASSBENCH_DATABASE_URL; unset it to use the embedded server",
    )
