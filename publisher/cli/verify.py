"""`glassbench verify DIR`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dataset.console import EXIT_DIFFERENT, print_json


def verify(
    directory: Annotated[Path, typer.Argument(help="A snapshot: the directory that holds index.json.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Recompute a snapshot from its files alone.

    Every hash, observation, verdict and number; no database. Exit 5 with each difference.
    """
    from publisher.verification.snapshot import verify as verify_snapshot

    found = verify_snapshot(directory)
    if as_json:
        print_json(found.as_json())
    else:
        for difference in found.differences:
            print(difference)
        checked = f"{found.files} files, {found.reports} reports, {found.runs} runs, {found.assertions} assertions"
        if found.holds:
            print(f"verified: {checked}")
            print("  every section digest and artifact hash recomputed from the canonical bytes")
            print("  every assertion compiled again from the published gold, and observed again in the recorded steps")
            print("  every verdict derived again from its assertions and the recorded status")
            print("  every answer made again from the last reply and its corrections")
            print("  every published context text hashed again; every tool reply too, where no rule rewrote it")
            print("  every number of every report made again from the runs")
            print("  not checked: token counts, the withheld system prompt, what a rule rewrote or refused and why")
        else:
            print(f"NOT verified: {len(found.differences)} differences ({checked} looked at)")
    if not found.holds:
        raise typer.Exit(EXIT_DIFFERENT)
