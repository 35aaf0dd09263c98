"""`glassbench verify DIR`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dataset.console import EXIT_DIFFERENT, counted, print_json, printable
from publisher.cli.released import runs_text

if TYPE_CHECKING:
    from publisher.mirror.mirror import MirrorVerification

_WORKERS = 2
_EVERY = 20
"""Runs from one line of progress to the next."""


def verify(
    directory: Annotated[
        Path, typer.Argument(help="A snapshot, or a site or mirror with its pages.", exists=True, file_okay=False)
    ],
    key: Annotated[
        list[str] | None, typer.Option("--key", help="A key that may sign releases, or a file of keys; repeatable.")
    ] = None,
    expected_checkpoint: Annotated[
        Path | None,
        typer.Option(help="A log/checkpoint that you kept: the log must extend it.", exists=True, dir_okay=False),
    ] = None,
    previous: Annotated[
        Path | None,
        typer.Option(help="An older mirror or snapshot: nothing of it may be lost.", exists=True, file_okay=False),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Recompute everything that was published, from its files alone.

    Every hash, observation, verdict and number, the release log, and the pages where they stand beside it; no database.
    Exit 5 with each difference.
    """
    from publisher.mirror.given import read_given
    from publisher.mirror.mirror import verify_mirror
    from publisher.preview.marker import require_no_preview

    for given_directory in (directory, *([previous] if previous else [])):
        require_no_preview(given_directory)
    given = read_given(keys=key or (), checkpoint=expected_checkpoint, previous=previous)
    workers = min(_WORKERS, os.cpu_count() or 1)
    found = verify_mirror(directory, given, workers=workers, progress=_show_progress)
    _clear_progress()
    if as_json:
        print_json(found.as_json() | _statement(found))
    else:
        _print(found)
    if not found.holds:
        raise typer.Exit(EXIT_DIFFERENT)


def _statement(found: MirrorVerification) -> dict[str, list[str]]:
    from publisher.mirror.statement import not_checked, proved

    return {"proved": list(proved(found)) if found.holds else [], "not_checked": list(not_checked(found))}


def _print(found: MirrorVerification) -> None:
    for difference in found.differences:
        print(difference)
    snapshot = found.snapshot
    checked = ", ".join(
        [
            counted(snapshot.files, "file"),
            counted(snapshot.reports, "report"),
            runs_text(snapshot.runs + snapshot.withdrawn, snapshot.withdrawn),
            counted(snapshot.assertions, "assertion"),
        ]
    )
    if not found.holds:
        history = "history was rewritten; " if found.rewritten else ""
        faults = counted(len(found.differences), "difference")
        print(f"NOT verified: {history}{faults} ({checked} looked at{_pages(found)})")
        return
    print(f"verified: {checked}")
    statement = _statement(found)
    for line in statement["proved"]:
        print(f"  {printable(line)}")
    for line in statement["not_checked"]:
        print(f"  not checked: {printable(line)}")
    print("→ everything that is checked holds; what isn't is named above")


def _pages(found: MirrorVerification) -> str:
    if found.pages is None:
        return ""
    left_out = f", {len(found.pages.uncompared):,} not" if found.pages.uncompared else ""
    return f"; {counted(found.pages.pages, 'page')} and {counted(found.pages.assets, 'asset')} compared{left_out}"


def _show_progress(done: int, of: int) -> None:
    """A line on a terminal's stderr, written over as it grows."""
    if sys.stderr.isatty() and (done % _EVERY == 0 or done >= of):
        print(f"\r{done:,} of {counted(of, 'run')}", end="", file=sys.stderr, flush=True)


def _clear_progress() -> None:
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
