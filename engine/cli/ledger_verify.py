"""`glassbench ledger verify DIR`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dataset.console import EXIT_DIFFERENT, counted, print_json, printable


def ledger_verify(
    directory: Annotated[Path, typer.Argument(help="What `ledger export` or `ledger archive` wrote.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Check an export from its files alone.

    Every line, hash, order and sum; no database. Exit 5 with file and line of each fault.
    """
    from engine.audit.check import check_export

    found = check_export(directory)
    if as_json:
        faults = [{"file": f.file, "line": f.line, "message": f.message} for f in found.faults]
        print_json(
            {"events": found.events, "attempts": found.attempts, "fault_count": found.fault_count, "faults": faults}
        )
    else:
        for fault in found.faults:
            print(printable(str(fault)))
        looked_at = f"{found.events} events, {found.attempts} attempts"
        if found.fault_count:
            print(f"NOT verified: {counted(found.fault_count, 'fault')} ({looked_at} looked at)")
        else:
            print(f"verified: {looked_at}")
            print("  not checked: whether the database held more, or something else, when this was written")
    if found.fault_count:
        raise typer.Exit(EXIT_DIFFERENT)
