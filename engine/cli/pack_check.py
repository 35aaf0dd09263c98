"""`glassbench pack check DIR`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dataset.console import EXIT_ERROR, counted, print_json, printable


def pack_check(
    directory: Annotated[Path, typer.Argument(help="The pack's directory.", exists=True, file_okay=False)],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Report every fault of a pack.

    Each with its file, line and path inside the document; exit 1 where there is any.
    """
    from dataset.measures.metric import METRIC_BY_ID
    from dataset.questions.pack_reader import read_pack
    from engine.cli.withheld_lines import fault_json, fault_lines, withheld_json, withheld_lines

    reading = read_pack(directory, known_metrics=frozenset(METRIC_BY_ID))
    withheld = {name: reading.pack.withheld(name) for name in reading.pack.questions} if reading.pack else {}
    if as_json:
        faults = [fault_json(fault) for fault in reading.faults]
        print_json({"ok": not reading.faults, "faults": faults, **withheld_json(withheld)})
    else:
        for line in (line for fault in reading.faults for line in fault_lines(fault)):
            print(printable(line))
        if reading.pack is not None and not reading.faults:
            pack = reading.pack
            print(
                f"{pack.head.id} v{pack.head.version} is well: {counted(len(pack.questions), 'case')}, "
                f"{counted(len(pack.catalogue.tools), 'tool')}, {counted(len(pack.fixtures.fixtures), 'fixture')}, "
                f"{counted(len(pack.variants), 'variant')}, {counted(len(pack.templates), 'template')}"
            )
            for line in withheld_lines(withheld):
                print(line)
        else:
            print(f"{counted(len(reading.faults), 'fault')} in {directory}")
    if reading.faults:
        raise typer.Exit(EXIT_ERROR)
