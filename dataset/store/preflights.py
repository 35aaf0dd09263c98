"""What a preflight needs of the database: a number of its own for each canary, and an end for those that were lost."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import select

from dataset.store.execution_tables import fencing_token
from dataset.store.ledger import reconcile
from dataset.store.session import Database


def next_canary(database: Database) -> int:
    """A number that no other canary has, greater than those before it."""
    with database.transaction() as connection:
        number: int = connection.execute(select(fencing_token.next_value())).scalar_one()
    return number


def close_lost_canaries(database: Database, older_than: timedelta) -> int:
    """Settles canaries whose process is gone, as what they had reserved; how many. No lease tells that they are over,
    so `older_than` has to be longer than any call takes."""
    with database.transaction() as connection:
        done = reconcile(connection, [], unleased_for=older_than)
    return len(done.released) + len(done.settled)
