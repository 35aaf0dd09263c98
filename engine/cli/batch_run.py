"""`glassbench batch run ID`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from dataset.console import EXIT_INTERRUPTED, print_json

if TYPE_CHECKING:
    from dataset.record import BatchId
    from dataset.store.batches import BatchCounts
    from dataset.store.session import Database


def batch_run(
    batch_id: Annotated[str, typer.Argument(help="The batch; see `batch list`.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON when done.")] = False,
) -> None:
    """Run what is missing of a batch, here and wherever a worker serves it.

    Stopped or killed at any moment, the same command does exactly the runs that have no artifact yet.
    """
    from dataset.record import BatchId
    from dataset.store.batches import batch_counts
    from dataset.store.session import open_database

    with open_database() as database:
        _run(database, BatchId(batch_id), quiet=as_json)
        counts = batch_counts(database, BatchId(batch_id))
    if as_json:
        print_json({"batch_id": batch_id, **_facts(counts)})
        return
    print(
        f"finished {batch_id}: {counts.passed} passed, {counts.failed} failed, {counts.invalid} invalid "
        f"of {counts.planned} planned"
    )
    if counts.invalid:
        print(f"→ `glassbench batch retry {batch_id} --only invalid` plans the invalid ones again")
    print(f"→ publish it with `glassbench publish {batch_id} --to DIRECTORY`")


def _run(database: Database, batch_id: BatchId, *, quiet: bool) -> None:
    from dataset.store.batches import batch_counts, get_batch
    from dataset.store.planned import missing_runs
    from engine.batches.composition import load_frozen
    from engine.batches.estimate import estimate
    from engine.batches.foreground import StoppedByOwnerError, run_to_the_end
    from engine.batches.progress import BatchTally
    from engine.batches.run_files import restore_run_files
    from engine.cli.estimate_table import print_estimate
    from engine.cli.ground import ground_of

    ground, row = ground_of(database), get_batch(database, batch_id)
    missing, counts = missing_runs(database, batch_id), row.counts
    if missing and not quiet:
        print_estimate(estimate(load_frozen(database, row), missing, ground.registry.tries()))
    tally = BatchTally(counts.planned, passed=counts.passed, failed=counts.failed, invalid=counts.invalid)
    try:
        run_to_the_end(ground, row, tally)
    except StoppedByOwnerError:
        done = batch_counts(database, batch_id).recorded
        print(
            f"stopped: {done} of {counts.planned} runs are recorded; `glassbench batch run {batch_id}` goes on",
            file=sys.stderr,
        )
        raise typer.Exit(EXIT_INTERRUPTED) from None
    restore_run_files(database, ground.home, batch_id)


def _facts(counts: BatchCounts) -> dict[str, int]:
    return {
        "planned": counts.planned,
        "recorded": counts.recorded,
        "passed": counts.passed,
        "failed": counts.failed,
        "invalid": counts.invalid,
    }
