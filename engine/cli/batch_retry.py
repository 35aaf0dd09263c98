"""`glassbench batch retry ID --only invalid`."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from dataset.console import print_json


def batch_retry(
    batch_id: Annotated[str, typer.Argument(help="The batch; see `batch list`.")],
    only: Annotated[Literal["invalid"], typer.Option(help="Which runs: a run with a verdict is never done again.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Plan the invalid runs of a finished batch again. Each gets a new run that supersedes it; both are published."""
    from dataset.record import BatchId
    from dataset.store.batches import batch_counts
    from dataset.store.lifecycle import retry_invalid
    from dataset.store.session import open_database

    own = BatchId(batch_id)
    with open_database() as database:
        batch_counts(database, own)
        count = retry_invalid(database, own)
    if as_json:
        print_json({"batch_id": batch_id, "planned_again": count})
        return
    if not count:
        print(f"{batch_id} has no invalid run")
        return
    print(f"planned {count} {'run' if count == 1 else 'runs'} of {batch_id} again")
    print(f"→ run {'it' if count == 1 else 'them'} with `glassbench batch run {batch_id}`")
