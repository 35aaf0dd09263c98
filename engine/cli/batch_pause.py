"""`glassbench batch pause ID`."""

from __future__ import annotations

from typing import Annotated

import typer

from dataset.console import print_json


def batch_pause(
    batch_id: Annotated[str, typer.Argument(help="The batch; see `batch list`.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Start no further run of a batch, on any machine; those in flight end and are recorded."""
    from dataset.record import BatchId
    from dataset.store.batches import batch_counts
    from dataset.store.lifecycle import pause_batch, standing_of
    from dataset.store.session import open_database

    with open_database() as database:
        counts = batch_counts(database, BatchId(batch_id))
        paused = pause_batch(database, BatchId(batch_id))
        _, ended = standing_of(database, BatchId(batch_id))
    if as_json:
        print_json({"batch_id": batch_id, "paused": paused, "planned": counts.planned, "recorded": counts.recorded})
        return
    if ended:
        print(f"{batch_id} is finished: nothing to do")
        return
    print(f"paused {batch_id}" if paused else f"{batch_id} isn't running")
    print(f"{counts.recorded} of {counts.planned} runs are recorded")
    print(f"→ `glassbench batch run {batch_id}` goes on here, `glassbench batch resume {batch_id}` lets workers go on")
