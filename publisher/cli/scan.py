"""`glassbench scan PATH…`."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Annotated

import typer

from dataset.console import EXIT_FOUND, print_json

# A scan that takes longer than this says how far it has come, and says it again after as long.
NEWS_SECONDS = 3.0


def scan_command(known_values: Callable[[Collection[str]], Mapping[str, str]]) -> Callable[..., None]:
    """The command with the credential values that it must look for."""

    def scan(
        paths: Annotated[list[str], typer.Argument(help="Files or directories; - is standard input.")],
        as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    ) -> None:
        """Look for secrets and internal addresses, in clear or encoded.

        Credentials, private addresses and hosts, home and temporary paths, prompt markers. Exit 0 where nothing is
        found, 3 where anything is, 1 where the scan could not be done.
        """
        from publisher.scanning.scanner import default_scanner

        scanner = default_scanner(known_values(()))
        findings = []
        news = _News()
        for path in paths:
            source = scanner.scan_stream(sys.stdin.buffer, "-") if path == "-" else scanner.scan_path(Path(path), news)
            for finding in source:
                findings.append(finding)
                if not as_json:
                    print(f"{finding.place}: {finding.rule} {finding.label}: {finding.excerpt}")
        if as_json:
            print_json({"findings": [finding.as_json() for finding in findings]})
        elif not findings:
            print("nothing found")
        if findings:
            raise typer.Exit(EXIT_FOUND)

    return scan


class _News:
    """Tells on stderr how far a long scan has come."""

    def __init__(self) -> None:
        self._files = self._size = 0
        self._due = time.monotonic() + NEWS_SECONDS

    def __call__(self, *, files: int, size: int) -> None:
        self._files += files
        self._size += size
        if time.monotonic() >= self._due:
            print(f"scanned {self._files:,} files, {self._size / 1e6:,.0f} MB", file=sys.stderr, flush=True)
            self._due = time.monotonic() + NEWS_SECONDS
