"""`glassbench verify DIR`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dataset.console import EXIT_DIFFERENT, print_json

_CHECKED = (
    "every section digest and artifact hash recomputed from the canonical bytes; no steps stand twice",
    "every assertion compiled again from the published gold, and settled again in the recorded steps",
    "every verdict derived again from its assertions and the recorded status, and the status from the timeline",
    "every answer made again from the last reply and its corrections, and looked for its output guards",
    "every call read again from the reply that made it, and every step held to the verdicts on it",
    "every context decided again by its strategy; every tool reply hashed again, where no rule rewrote it",
    "where a catalogue is published: every loaded tool held to it, every search and token count made again",
    "every run that was tried again, and that only invalid ones were",
    "every number of every report made again from the runs",
)
_NOT_CHECKED = (
    "whether the model and the harness did what is recorded; usage as a provider told it, durations; the withheld "
    "system prompt and how many tokens it has; "
    "the catalogue behind the tools loaded, where none is published; what a rule or guard found, overlooked, rewrote "
    "or refused, and why"
)


def verify(
    directory: Annotated[
        Path, typer.Argument(help="A snapshot: the directory that holds index.json.", exists=True, file_okay=False)
    ],
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
            for line in _CHECKED:
                print(f"  {line}")
            print(f"  not checked: {_NOT_CHECKED}")
        else:
            print(f"NOT verified: {len(found.differences)} differences ({checked} looked at)")
    if not found.holds:
        raise typer.Exit(EXIT_DIFFERENT)
