"""`glassbench batch retry ID --only invalid`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from dataset.console import counted, print_json

if TYPE_CHECKING:
    from dataset.record import BatchId
    from dataset.store.session import Database


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
        _require_terms_left(database, own)
        count = retry_invalid(database, own)
    if as_json:
        print_json({"batch_id": batch_id, "planned_again": count})
        return
    if not count:
        print(f"{batch_id} has no invalid run")
        return
    print(f"planned {counted(count, 'run')} of {batch_id} again")
    print(f"→ run {'it' if count == 1 else 'them'} with `glassbench batch run {batch_id}`")


def _require_terms_left(database: Database, batch_id: BatchId) -> None:
    """A batch that its own terms ended would end by them again."""
    from dataset.measures.giving_up import BUDGET_USED_UP, GIVING_UP, NOT_BOUNDED
    from dataset.store.lifecycle import BatchStateError, standing_of

    control, ended = standing_of(database, batch_id)
    if ended and control.reason in (BUDGET_USED_UP, NOT_BOUNDED):
        raise BatchStateError(
            f"batch {batch_id} was ended by the rule {control.reason}: {GIVING_UP[control.reason]}",
            code=control.reason,
            hint="its terms are frozen: create a new batch under other limits",
        )
