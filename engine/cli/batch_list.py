"""`glassbench batch list`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dataset.console import print_json, print_table, printable

if TYPE_CHECKING:
    from dataset.store.batch_control import Wish
    from dataset.store.batches import BatchRow, UnreadableBatch


def batch_list(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """List every batch, the newest first."""
    from dataset.store.batch_figures import cancelled_by_owner, lease_holders, runs_to_try_again, wishes
    from dataset.store.batches import list_batches
    from dataset.store.session import open_database
    from engine.cli.batch_standing import slices_held, worker_hint

    with open_database() as database:
        rows = list_batches(database)
        with database.transaction() as connection:
            wanted, holders = wishes(connection), lease_holders(connection)
            again, cancelled = runs_to_try_again(connection), cancelled_by_owner(connection)
    facts = [
        _facts(
            row,
            *wanted.get(row.id, ("rest", None)),
            held=slices_held(holders.get(row.id, {})),
            again=again.get(row.id, 0),
            cancelled=row.id in cancelled,
        )
        for row in rows
    ]
    if as_json:
        print_json([{name: value for name, value in f.items() if name != "shown_state"} for f in facts])
        return
    if not facts:
        print("no batches yet → `glassbench batch create --template english --model KEY`")
        return
    print_table(
        "Batches",
        ("id", "template", "models", "created", "state", "#recorded / planned", "#passed", "#failed", "#invalid"),
        [
            (
                f["batch_id"],
                f["template"] or "?",
                ", ".join(f["models"] or ["?"]),
                f["created_at"],
                f["shown_state"],
                f"{f['recorded']} / {f['planned']}",
                f["passed"],
                f["failed"],
                f["invalid"],
            )
            for f in facts
        ],
    )
    for waiting in (f for f in facts if "waiting for a worker" in f["shown_state"]):
        print(worker_hint(waiting["batch_id"]))
    for fault in (f["fault"] for f in facts if f["fault"]):
        print(printable(fault), file=sys.stderr)


def _facts(
    row: BatchRow | UnreadableBatch, wish: Wish, reason: str | None, *, held: int, again: int, cancelled: bool
) -> dict[str, Any]:
    """One batch as the JSON shows it; of one that can't be read, template and models are null and `fault` says why."""
    from dataset.store.batches import BatchRow
    from engine.cli.batch_standing import state_of
    from engine.telemetry.clock import utc_text

    finished = row.finished_at is not None
    definition = row.definition if isinstance(row, BatchRow) else None
    fault = None if isinstance(row, BatchRow) else row.fault
    return {
        "batch_id": row.id,
        "template": f"{definition.template.id}@{definition.template.version}" if definition else None,
        "models": [model.key for model in definition.models] if definition else None,
        "created_at": utc_text(row.created_at),
        "state": ("finished" if finished else "open") if definition else "unreadable",
        "shown_state": state_of(
            finished=finished,
            wish=wish,
            reason=reason,
            recorded=row.counts.recorded,
            held=held,
            again=again,
            cancelled=cancelled,
        )
        if definition
        else "unreadable",
        "wish": wish,
        "reason": reason,
        "recorded": row.counts.recorded,
        "planned": row.counts.planned,
        "passed": row.counts.passed,
        "failed": row.counts.failed,
        "invalid": row.counts.invalid,
        "fault": f"{fault.message} ({fault.hint}) [{fault.code}]" if fault else None,
    }
