"""`glassbench pack import DIR`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dataset.console import EXIT_ERROR, counted, print_json, printable


def pack_import(
    directory: Annotated[Path, typer.Argument(help="The pack's directory.", exists=True, file_okay=False)],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Import a pack in one transaction.

    An unchanged pack is a no-op; the same version with other content is refused.
    """
    from dataset.measures.metric import METRIC_BY_ID
    from dataset.questions.pack_reader import read_pack
    from dataset.store.bank import import_pack
    from dataset.store.session import open_database
    from engine.cli.withheld_lines import fault_json, fault_lines

    reading = read_pack(directory, known_metrics=frozenset(METRIC_BY_ID))
    if reading.pack is None or reading.faults:
        if as_json:
            print_json({"ok": False, "faults": [fault_json(fault) for fault in reading.faults]})
        for line in () if as_json else (line for fault in reading.faults for line in fault_lines(fault)):
            typer.echo(printable(line), err=True)
        typer.echo(f"{counted(len(reading.faults), 'fault')} in {directory}: nothing was imported", err=True)
        raise typer.Exit(EXIT_ERROR)
    with open_database() as database:
        outcome = import_pack(database, reading.pack)
    name = f"{reading.pack.head.id} v{reading.pack.head.version}"
    if as_json:
        print_json({"ok": True, "pack": name, "added": list(outcome.added), "unchanged": outcome.unchanged})
    elif outcome.added:
        print(f"{name}: {counted(len(outcome.added), 'entry', 'entries')} added, {outcome.unchanged} unchanged")
    else:
        print(f"{name}: unchanged, nothing to do")
