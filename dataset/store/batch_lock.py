"""The right to run a batch: one process at a time, on whichever machine."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager

from dataset.record import BatchId
from dataset.store.errors import StoreError
from dataset.store.session import Database


class BatchBusyError(StoreError):
    """Another process is running the batch."""

    code = "BATCH-BUSY-001"


@contextmanager
def batch_lock(database: Database, batch_id: BatchId) -> Iterator[None]:
    """Holds the right to run a batch; the server gives it back when the process dies, however it dies.

    BatchBusyError where another connection holds it. Losing the connection loses the right, but never a record: writes
    carry the attempt number.
    """
    key = int.from_bytes(hashlib.sha256(f"batch {batch_id}".encode("utf-8", "replace")).digest()[:8], signed=True)
    with database.session_lock(key) as held:
        if not held:
            raise BatchBusyError(
                f"another process is running batch {batch_id}",
                hint="wait for it or stop it; `glassbench batch status` shows how far it is",
            )
        yield
