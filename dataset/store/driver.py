"""The driver beneath a transaction, for statements that are run so often that composing them would cost more."""

from __future__ import annotations

import logging
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import psycopg
from sqlalchemy import Connection

# What fails at the end of a block is raised; the library tells of it in a log as well, which nobody asked for.
logging.getLogger("psycopg").addHandler(logging.NullHandler())


def driver_of(connection: Connection) -> psycopg.Connection[Any]:
    """The psycopg connection beneath, in the same transaction."""
    driver = connection.connection.driver_connection
    assert isinstance(driver, psycopg.Connection)
    return driver


def in_one_go(driver: psycopg.Connection[Any]) -> AbstractContextManager[object]:
    """A block whose statements go out together: one waits only where a result is read, and at the outermost end.

    A statement that fails is heard of there, too.
    """
    return nullcontext() if driver.pgconn.pipeline_status else driver.pipeline()
