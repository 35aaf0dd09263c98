"""`glassbench batch run ID`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from dataset.console import EXIT_INTERRUPTED, print_json


def batch_run(
    batch_id: Annotated[str, typer.Argument(help="The batch; see `batch list`.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON when done.")] = False,
) -> None:
    """Run what is missing of a batch; stopped or killed, the same command goes on."""
    import os

    from dataset.home import state_directory
    from dataset.record import BatchId
    from dataset.store.batches import batch_counts, batch_lock, get_batch, missing_runs
    from dataset.store.session import open_database
    from engine.batches.composition import load_frozen
    from engine.batches.estimate import estimate
    from engine.batches.progress import BatchTally
    from engine.batches.runner import restore_run_files
    from engine.batches.session import run_to_the_end
    from engine.cli.estimate_table import print_estimate
    from engine.providers.registry import ModelRegistry

    home = state_directory()
    registry = ModelRegistry.load(home)
    own = BatchId(batch_id)
    with open_database() as database, batch_lock(database, own):
        row = get_batch(database, own)
        batch = load_frozen(database, row)
        restore_run_files(database, home, own)
        missing = missing_runs(database, own)
        counts = row.counts
        tally = BatchTally(counts.planned, passed=counts.passed, failed=counts.failed, invalid=counts.invalid)
        if missing and not as_json:
            print_estimate(estimate(batch, missing))
        try:
            run_to_the_end(
                database=database, batch=batch, registry=registry, environ=os.environ, home=home, tally=tally
            )
        except KeyboardInterrupt:
            done = batch_counts(database, own).recorded
            print(
                f"stopped: {done} of {counts.planned} runs are recorded; `glassbench batch run {batch_id}` goes on",
                file=sys.stderr,
            )
            raise typer.Exit(EXIT_INTERRUPTED) from None
        final = get_batch(database, own).counts
    facts = {
        "batch_id": batch_id,
        "planned": final.planned,
        "recorded": final.recorded,
        "passed": final.passed,
        "failed": final.failed,
        "invalid": final.invalid,
    }
    if as_json:
        print_json(facts)
        return
    print(
        f"finished {batch_id}: {final.passed} passed, {final.failed} failed, {final.invalid} invalid "
        f"of {final.planned} planned"
    )
    print(f"→ publish it with `glassbench publish {batch_id} --to DIRECTORY`")
