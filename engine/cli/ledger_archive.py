"""`glassbench ledger archive --to DIR`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dataset.console import print_json


def ledger_archive(
    target: Annotated[Path, typer.Option("--to", help="A directory that doesn't exist yet.")],
    delete: Annotated[
        bool, typer.Option("--delete", help="Delete the archived events from the database afterwards.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Archive the audit events that have expired.

    They are written and checked first; only with --delete do they leave the database. Attempts are never deleted.
    """
    from dataset.store.session import open_database
    from engine.audit.archive import archive_expired

    with open_database() as database:
        done = archive_expired(database, target, delete=delete)
    if done is None:
        if as_json:
            print_json({"target": None, "events": 0, "deleted": False})
        else:
            print("nothing has expired: no archive was written")
        return
    if as_json:
        print_json(
            {
                "target": str(target),
                "events": done.archive.events,
                "first_number": done.archive.first_number,
                "last_number": done.archive.last_number,
                "sha256": done.archive.sha256,
                "deleted": done.deleted,
            }
        )
        return
    kept = "and deleted from the database" if done.deleted else "and kept in the database"
    print(f"{target}: {done.archive.events} expired events archived {kept}")
    print(f"→ check it with `glassbench ledger verify {target}`")
