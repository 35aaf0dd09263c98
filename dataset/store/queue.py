"""The queue that wakes workers: procrastinate over the same PostgreSQL. A ticket says that a batch has work.

Tickets are signals, never facts. A served batch goes to the end of the queue, so the least recently served one is
next; a ticket that is lost is made again from the slices.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence

from procrastinate import App, PsycopgConnector
from procrastinate.app import WorkerOptions
from procrastinate.exceptions import ConnectorException
from sqlalchemy import Connection, text

from dataset.record import BatchId
from dataset.store.errors import StoreError
from dataset.store.session import Database

TASK = "serve_slice"
NEVER_ABORTED_SECONDS = 60.0
"""Tickets are never aborted through the library, so it needn't look often."""
STALLED_SECONDS = 30
POOL_SECONDS = 5.0
"""How long the library waits for a connection; a server that is away is waited for by whoever started the worker."""

Serve = Callable[[BatchId], Awaitable[None]]


def queue_name(batch_id: BatchId) -> str:
    """Each batch has a queue of its own, so that a worker can be told to serve just one."""
    return f"batch.{batch_id}"


def add_tickets(connection: Connection, batch_id: BatchId, count: int = 1, *, in_seconds: float = 0) -> None:
    """Adds tickets at the end of the queue, within the caller's transaction."""
    statement = text(
        "SELECT procrastinate_defer_jobs_v1(array_agg(ROW(:queue, :task, 0, NULL, NULL, CAST(:args AS jsonb),"
        " clock_timestamp() + make_interval(secs => :seconds))::procrastinate_job_to_defer_v1))"
        " FROM generate_series(1, :count)"
    )
    values = {
        "queue": queue_name(batch_id),
        "task": TASK,
        "args": json.dumps({"batch_id": batch_id}),
        "seconds": in_seconds,
        "count": count,
    }
    if count > 0:
        connection.execute(statement, values)


def waiting_tickets(connection: Connection, batch_id: BatchId) -> int:
    """How many tickets of a batch nobody serves yet."""
    statement = text("SELECT count(*) FROM procrastinate_jobs WHERE queue_name = :queue AND status = 'todo'")
    found: int = connection.execute(statement, {"queue": queue_name(batch_id)}).scalar_one()
    return found


def remove_tickets(connection: Connection, batch_id: BatchId) -> None:
    """Removes the waiting tickets of a batch that nobody should work on any more."""
    connection.execute(
        text("DELETE FROM procrastinate_jobs WHERE queue_name = :queue AND status = 'todo'"),
        {"queue": queue_name(batch_id)},
    )


def remove_orphans(connection: Connection) -> None:
    """Removes tickets that were being served by a worker that is gone, as the library's own heartbeat tells."""
    connection.execute(text("SELECT procrastinate_prune_stalled_workers_v1(:seconds)"), {"seconds": STALLED_SECONDS})
    connection.execute(text("DELETE FROM procrastinate_jobs WHERE status = 'doing' AND worker_id IS NULL"))


async def serve_tickets(
    database: Database,
    serve: Serve,
    *,
    batches: Sequence[BatchId] | None,
    concurrency: int,
    poll: float,
    stop: asyncio.Event,
) -> None:
    """Serves tickets, `concurrency` at once, until `stop` is set and what is being served has ended.

    `batches`: of these only; None: of all. `poll`: seconds between two looks where no notification came. StoreError
    where the server is lost: the caller starts again.
    """
    app = App(connector=PsycopgConnector(conninfo=database.libpq_url, min_size=1, max_size=4, timeout=POOL_SECONDS))

    @app.task(name=TASK)
    async def serve_slice(batch_id: str) -> None:
        await serve(BatchId(batch_id))

    options = WorkerOptions(
        name="glassbench",
        concurrency=concurrency,
        fetch_job_polling_interval=poll,
        abort_job_polling_interval=NEVER_ABORTED_SECONDS,
        delete_jobs="always",
        install_signal_handlers=False,
    )
    if batches is not None:
        options["queues"] = [queue_name(batch_id) for batch_id in batches]
    try:
        async with app.open_async():
            await _work_until(stop, app, options)
    except ConnectorException as error:
        raise StoreError(
            f"the queue at {database.place} was lost: {type(error).__name__}", code="DB-CONN-002"
        ) from None


async def _work_until(stop: asyncio.Event, app: App, options: WorkerOptions) -> None:
    work = asyncio.create_task(app.run_worker_async(**options))
    stopped = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({work, stopped}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        stopped.cancel()
        if not work.done():
            work.cancel()  # the library takes this as: no new ticket, then finish those in hand
        (ended,) = await asyncio.gather(work, return_exceptions=True)
    if isinstance(ended, Exception):
        raise ended
