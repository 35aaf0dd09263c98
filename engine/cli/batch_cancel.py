"""`glassbench batch cancel ID`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from dataset.console import EXIT_INTERRUPTED, counted, print_json


def batch_cancel(
    batch_id: Annotated[str, typer.Argument(help="The batch; see `batch list`.")],
    yes: Annotated[bool, typer.Option("--yes", help="Don't ask.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON when done.")] = False,
) -> None:
    """End a batch with what it has: every missing run is recorded as given up, as an invalid run with its reason."""
    from dataset.record import BatchId
    from dataset.store.batches import batch_counts, get_batch
    from dataset.store.lifecycle import cancel_batch
    from dataset.store.session import open_database
    from engine.batches.batch_terms import frozen_terms
    from engine.batches.foreground import StoppedByOwnerError, serve_to_the_end
    from engine.batches.progress import BatchTally
    from engine.cli.ground import ground_of

    own = BatchId(batch_id)
    with open_database() as database:
        counts = batch_counts(database, own)
        missing = counts.planned - counts.recorded
        if missing and not yes:
            _confirm(f"{missing} of {counted(counts.planned, 'run')} of {batch_id}", batch_id, as_json=as_json)
        cancel_batch(database, own, quantum=frozen_terms(database, own).policy.quantum)
        tally = BatchTally(
            counts.planned, passed=counts.passed, failed=counts.failed, invalid=counts.invalid, asks=False
        )
        try:
            serve_to_the_end(ground_of(database), get_batch(database, own), tally)
        except StoppedByOwnerError:
            print(f"stopped: `glassbench batch cancel {batch_id}` goes on with it", file=sys.stderr)
            raise typer.Exit(EXIT_INTERRUPTED) from None
        counts = batch_counts(database, own)
    if as_json:
        names = ("planned", "recorded", "passed", "failed", "invalid")
        print_json({"batch_id": batch_id, **{name: getattr(counts, name) for name in names}})
        return
    print(f"cancelled {batch_id}: {counts.passed} passed, {counts.failed} failed, {counts.invalid} invalid")


def _confirm(runs: str, batch_id: str, *, as_json: bool) -> None:
    from engine.preflight.errors import UnconfirmedError

    if as_json or not sys.stdin.isatty():
        raise UnconfirmedError(
            f"{runs} would be given up, and nobody is here to confirm it",
            hint=f"`glassbench batch cancel {batch_id} --yes` does it without asking",
        )
    typer.confirm(f"record {runs} as given up?", abort=True, err=True)
