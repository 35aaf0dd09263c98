"""`glassbench ledger export --to DIR`."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dataset.console import print_json

if TYPE_CHECKING:
    from dataset.store.audit_export import Selection
    from dataset.store.session import Database


def ledger_export(
    target: Annotated[Path, typer.Option("--to", help="A directory that doesn't exist yet.")],
    since: Annotated[
        datetime | None, typer.Option("--since", help="Only what happened from this day or time on (UTC).")
    ] = None,
    kinds: Annotated[
        list[str] | None, typer.Option("--kind", help="Only events of this kind, and no attempts; may be repeated.")
    ] = None,
    batch: Annotated[str | None, typer.Option("--batch", help="Only what belongs to this batch.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Export the audit trail and every attempt of the ledger.

    Written as JSON lines with a manifest, from one moment of the database. `ledger verify` checks it without one.
    """
    from dataset.store.audit_export import snapshot
    from dataset.store.session import open_database
    from engine.audit.export import fresh_directory, write_export
    from engine.audit.lines import ATTEMPTS_FILE, EVENTS_FILE

    with open_database() as database:
        selection = _selection(database, since, kinds or [], batch)
        with fresh_directory(target) as directory, snapshot(database) as taken:
            manifest = write_export(directory, taken, selection)
    events = manifest.files[EVENTS_FILE].lines
    attempts = manifest.files[ATTEMPTS_FILE].lines if ATTEMPTS_FILE in manifest.files else None
    if as_json:
        print_json({"target": str(target), "events": events, "attempts": attempts, "taken_at": manifest.taken_at})
        return
    print(f"{target}: {events} events, {'no' if attempts is None else attempts} attempts, as of {manifest.taken_at}")
    print(f"→ check it with `glassbench ledger verify {target}`")


def _selection(database: Database, since: datetime | None, kinds: list[str], batch: str | None) -> Selection:
    from datetime import UTC

    from dataset.errors import GlassbenchError
    from dataset.record import BatchId
    from dataset.store.audit import AUDIT_KINDS
    from dataset.store.audit_export import Selection
    from dataset.store.batches import batch_counts

    if unknown := sorted(set(kinds) - set(AUDIT_KINDS)):
        raise GlassbenchError(
            f"no such kind of event: {', '.join(unknown)}",
            hint=f"there are: {', '.join(AUDIT_KINDS)}",
            code="EXPORT-KIND-001",
        )
    if batch is not None:
        batch_counts(database, BatchId(batch))  # says which batches there are
    return Selection(
        since=None if since is None else since.replace(tzinfo=since.tzinfo or UTC).astimezone(UTC),
        kinds=tuple(kind for kind in AUDIT_KINDS if kind in kinds),
        batch=None if batch is None else BatchId(batch),
    )
