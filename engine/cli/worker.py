"""`glassbench worker`."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from dataset.record import BatchId
    from dataset.store.session import Database
    from engine.batches.pace import Pace
    from engine.batches.worker_process import Ground
    from engine.monitoring.worker_monitor import WorkerMonitor


def worker(
    batch: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="Serve this batch only; may be given again.")
    ] = None,
    slices: Annotated[int, typer.Option(min=1, max=64, metavar="N", help="Slices served at once.")] = 3,
    metrics_port: Annotated[
        int | None,
        typer.Option(min=0, max=65535, metavar="N", help="Serve /metrics, /live and /ready here; 0: any free port."),
    ] = None,
    metrics_host: Annotated[str, typer.Option(metavar="IP", help="The address they are served on.")] = "127.0.0.1",
    lease_seconds: Annotated[
        float, typer.Option(metavar="SECONDS", help="How long after this worker fell silent others take its work over.")
    ] = 30.0,
) -> None:
    """Serve batches until stopped, beside any number of other workers on other machines.

    A batch is served once `glassbench batch run` has started it somewhere. Tells what it does on stderr: lines to read
    on a terminal, JSON elsewhere.
    """
    from dataset.record import BatchId
    from dataset.store.batches import batch_counts
    from dataset.store.session import open_database
    from engine.batches.pace import Pace

    only = [BatchId(batch_id) for batch_id in dict.fromkeys(batch or ())] or None
    pace = Pace.of_lease(lease_seconds)
    with open_database() as database:
        for batch_id in only or ():
            batch_counts(database, batch_id)
        _serve(database, only, slices, pace, (metrics_host, metrics_port))


def _serve(
    database: Database, only: list[BatchId] | None, slices: int, pace: Pace, probes: tuple[str, int | None]
) -> None:
    import asyncio

    from dataset.errors import GlassbenchError
    from engine.cli.ground import ground_of
    from engine.monitoring.probe_server import probe_server
    from engine.monitoring.worker_log import WorkerLog, nothing_else_speaks
    from engine.monitoring.worker_monitor import WorkerMonitor

    ground, readable = ground_of(database), sys.stderr.isatty()
    log = WorkerLog(sys.stderr, readable=readable)
    monitor = WorkerMonitor(database, log)
    host, port = probes
    with ExitStack() as stack:
        where = None if port is None else stack.enter_context(probe_server(host, port, monitor.answers))
        if readable:
            print(_opening(only, where), file=sys.stderr)
        stack.enter_context(nothing_else_speaks(log))
        try:
            asyncio.run(_work(ground, monitor, only, slices, pace, where))
        except GlassbenchError as error:
            log.tell("worker_failed", level="error", code=error.code, error_type=type(error).__name__)
            raise typer.Exit(1) from None
        except Exception as error:
            log.tell("worker_failed", level="error", error_type=type(error).__name__)
            raise typer.Exit(1) from None


async def _work(
    ground: Ground,
    monitor: WorkerMonitor,
    only: list[BatchId] | None,
    slices: int,
    pace: Pace,
    where: tuple[str, int] | None,
) -> None:
    from engine.batches.worker_process import open_worker, two_signals

    def stopping(text: str) -> None:
        if sys.stderr.isatty():
            print(text, file=sys.stderr)
        monitor.stopping()

    address, port = where or (None, None)
    async with open_worker(ground, monitor, only=only, pace=pace, slices=slices, watch=monitor) as found:
        monitor.log.tell(
            "worker_started", worker=found.generation, batch_ids=only, slices=slices, address=address, port=port
        )
        with two_signals(found, stopping):
            await found.run()
    monitor.log.tell("worker_stopped")


def _opening(only: list[BatchId] | None, where: tuple[str, int] | None) -> str:
    serving = f"serving {', '.join(only)}" if only else "serving every batch that is started"
    probes = "no metrics (--metrics-port)"
    if where is not None:
        host = f"[{where[0]}]" if ":" in where[0] else where[0]
        probes = f"metrics at http://{host}:{where[1]}/metrics, with /live and /ready beside"
    return f"{serving}; {probes}\nCtrl-C lets the runs in flight end, twice ends them at once"
