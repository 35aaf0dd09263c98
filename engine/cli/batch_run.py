"""`glassbench batch run ID`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from dataset.console import EXIT_INTERRUPTED, print_json

if TYPE_CHECKING:
    from dataset.store.batches import BatchCounts
    from dataset.store.session import Database


def batch_run(
    batch_id: Annotated[str, typer.Argument(help="The batch; see `batch list`.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON when done.")] = False,
) -> None:
    """Run what is missing of a batch.

    Stopped or killed at any moment, the same command does exactly the runs that have no artifact yet.
    """
    from dataset.record import BatchId
    from dataset.store.batch_lock import batch_lock
    from dataset.store.batches import batch_counts
    from dataset.store.session import open_database

    own = BatchId(batch_id)
    with open_database() as database:
        batch_counts(database, own)  # a batch that doesn't exist is said before its lock is asked for
        with batch_lock(database, own):
            _run(database, batch_id, quiet=as_json)
        counts = batch_counts(database, own)
    if as_json:
        print_json({"batch_id": batch_id, **_facts(counts)})
        return
    print(
        f"finished {batch_id}: {counts.passed} passed, {counts.failed} failed, {counts.invalid} invalid "
        f"of {counts.planned} planned"
    )
    print(f"→ publish it with `glassbench publish {batch_id} --to DIRECTORY`")


def _run(database: Database, batch_id: str, *, quiet: bool) -> None:
    import os

    from dataset.home import state_directory
    from dataset.record import BatchId
    from dataset.store.batches import batch_counts, get_batch, missing_runs
    from engine.batches.composition import load_frozen
    from engine.batches.estimate import estimate
    from engine.batches.progress import BatchTally
    from engine.batches.runner import restore_run_files
    from engine.batches.session import run_to_the_end
    from engine.cli.estimate_table import print_estimate
    from engine.providers.registry import ModelRegistry

    home, own = state_directory(), BatchId(batch_id)
    registry = ModelRegistry.load(home)
    row = get_batch(database, own)
    batch = load_frozen(database, row)
    restore_run_files(database, home, own)
    missing, counts = missing_runs(database, own), row.counts
    if missing and not quiet:
        print_estimate(estimate(batch, missing, registry.tries()))
    tally = BatchTally(counts.planned, passed=counts.passed, failed=counts.failed, invalid=counts.invalid)
    try:
        run_to_the_end(database=database, batch=batch, registry=registry, environ=os.environ, home=home, tally=tally)
    except KeyboardInterrupt:
        done = batch_counts(database, own).recorded
        print(
            f"stopped: {done} of {counts.planned} runs are recorded; `glassbench batch run {batch_id}` goes on",
            file=sys.stderr,
        )
        raise typer.Exit(EXIT_INTERRUPTED) from None


def _facts(counts: BatchCounts) -> dict[str, int]:
    return {
        "planned": counts.planned,
        "recorded": counts.recorded,
        "passed": counts.passed,
        "failed": counts.failed,
        "invalid": counts.invalid,
    }
