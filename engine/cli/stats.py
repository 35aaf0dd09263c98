"""`glassbench stats`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dataset.console import counted, print_json, print_table, printable, span_text
from engine.cli.batch_standing import SLICE_WORDS, slices_held, worker_hint

if TYPE_CHECKING:
    from dataset.record import BatchId
    from dataset.store.statistics import BatchInWork, Durations, Recent
    from dataset.store.workers import WorkerRow


def stats(
    hours: Annotated[float, typer.Option(min=0.01, max=2160, help="How far back to look.")] = 24,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show throughput, latencies, retries, failures, workers, and the batches in work."""
    from dataset.store.batch_figures import lease_holders
    from dataset.store.service_state import frozen_moment
    from dataset.store.session import open_database
    from dataset.store.statistics import batches_in_work, recent
    from dataset.store.workers import list_workers

    with open_database() as database:
        workers = list_workers(database)
        now = database.now()
        with frozen_moment(database, seconds=60) as connection:
            found, batches = recent(connection, hours), batches_in_work(connection)
            holders = lease_holders(connection)
    served = frozenset(batch_id for batch_id, held in holders.items() if slices_held(held))
    workers = [row for row in workers if (now - row.progress_at).total_seconds() < hours * 3600]
    if as_json:
        print_json(_document(hours, found, workers, batches, served))
        return
    _print_recent(hours, found)
    _print_workers(workers, {row.generation: (now - row.progress_at).total_seconds() for row in workers})
    _print_batches(batches, served)


def _print_recent(hours: float, found: Recent) -> None:
    asked = found.recorded - found.given_up
    verdicts = ", ".join(f"{count} {verdict}" for verdict, count in found.verdicts.items())
    print(f"last {hours:g} h: {counted(found.recorded, 'run')} recorded ({verdicts})")
    if found.given_up:
        print(f"  of these given up without being asked to the end: {found.given_up}")
    speed = found.runs_per_minute
    if speed is not None:
        busy = counted(found.busy_minutes, "minute")
        print(f"  {speed:.1f} runs a minute while busy: {counted(asked, 'run')} within {busy} of the clock")
    retries = f"{found.retries / found.calls:.3f} a call" if found.calls else "no call was made"
    print(f"  {counted(found.retries, 'retry', 'retries')} of {counted(found.calls, 'call')}: {retries}")
    print_table(
        "",
        ("how long it took", "#p50", "#p95", "#p99", "#sample"),
        [
            (name, *(_seconds(value) for value in (d.p50, d.p95, d.p99)), d.sample)
            for name, d in (("a run", found.runs), ("an attempt", found.attempts))
        ],
    )
    if found.failures:
        print_table(
            "Attempts that failed",
            ("code", "#HTTP status", "#attempts"),
            [(f.code, f.status, f.attempts) for f in found.failures],
        )


def _print_workers(workers: Sequence[WorkerRow], silent: dict[str, float]) -> None:
    if not workers:
        print("no worker → `glassbench worker` serves every batch that is started")
        return
    print_table(
        "Workers",
        ("machine", "#process", "state", "started (UTC)", "last progress", "#runs", "#slices"),
        [
            (
                row.name,
                process_of(row),
                state_of(row),
                f"{row.started_at:%m-%d %H:%M:%S}",
                f"{span_text(silent[row.generation])} ago",
                row.runs_recorded,
                row.slices_served,
            )
            for row in workers
        ],
    )


def _print_batches(batches: Sequence[BatchInWork], served: Collection[BatchId]) -> None:
    if not batches:
        print("no batch is in work → `glassbench batch list`")
        return
    slices = (f"#slices {name}" for name in SLICE_WORDS.values())
    print_table(
        "Batches in work",
        ("batch", "wanted", "reason", "#recorded / planned", *slices, "about left"),
        [
            (
                b.batch_id,
                b.wish,
                b.reason,
                f"{b.recorded} / {b.planned}",
                *(b.slices.get(state, 0) for state in SLICE_WORDS),
                _about_left(b, served),
            )
            for b in batches
        ],
    )
    for waiting in (b for b in batches if _waits(b, served)):
        print(printable(worker_hint(waiting.batch_id)))
    for paused in (b for b in batches if b.wish == "pause"):
        print(printable(f"→ `glassbench batch status {paused.batch_id}` says why it is paused"))


def _waits(batch: BatchInWork, served: Collection[BatchId]) -> bool:
    return batch.wish in ("run", "cancel") and batch.batch_id not in served


def _about_left(batch: BatchInWork, served: Collection[BatchId]) -> str | None:
    if _waits(batch, served):
        return "waiting for a worker"
    if batch.seconds_left is None:
        return None
    return f"{span_text(batch.seconds_left)} (by {counted(batch.lately, 'run')} of late)"


def state_of(row: WorkerRow) -> str:
    """How a worker stands, in a word."""
    if row.stopped_at is not None:
        return "stopped"
    return "live" if row.live else "silent"


def process_of(row: WorkerRow) -> str | None:
    """The process id that its name tells."""
    parts = row.generation.split("/")
    return parts[1] if len(parts) == 4 else None


def _document(
    hours: float,
    found: Recent,
    workers: Sequence[WorkerRow],
    batches: Sequence[BatchInWork],
    served: Collection[BatchId],
) -> dict[str, Any]:
    from engine.telemetry.clock import utc_text

    return {
        "hours": hours,
        "recorded": found.recorded,
        "verdicts": dict(found.verdicts),
        "given_up": found.given_up,
        "busy_minutes": found.busy_minutes,
        "runs_per_minute": _rounded(found.runs_per_minute),
        "run_seconds": _durations(found.runs),
        "attempt_seconds": _durations(found.attempts),
        "calls": found.calls,
        "retries": found.retries,
        "failures": [asdict(failures) for failures in found.failures],
        "workers": [
            {
                "worker": row.generation,
                "machine": row.name,
                "state": state_of(row),
                "started_at": utc_text(row.started_at),
                "progress_at": utc_text(row.progress_at),
                "stopped_at": utc_text(row.stopped_at) if row.stopped_at else None,
                "runs_recorded": row.runs_recorded,
                "slices_served": row.slices_served,
            }
            for row in workers
        ],
        "batches": [
            {
                "batch_id": b.batch_id,
                "wish": b.wish,
                "reason": b.reason,
                "planned": b.planned,
                "recorded": b.recorded,
                "slices": {state: b.slices.get(state, 0) for state in SLICE_WORDS},
                "seconds_left": None if _waits(b, served) else _rounded(b.seconds_left),
                "seconds_left_sample": b.lately,
            }
            for b in batches
        ],
    }


def _durations(found: Durations) -> dict[str, float | int | None]:
    return {
        "p50": _rounded(found.p50),
        "p95": _rounded(found.p95),
        "p99": _rounded(found.p99),
        "sample": found.sample,
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def _seconds(value: float | None) -> str | None:
    return None if value is None else f"{value:.2f} s" if value < 100 else f"{value:.0f} s"
