"""`glassbench scan PATH…`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Annotated

import typer

from dataset.console import EXIT_FOUND, print_json


def scan_command(known_values: Callable[[Collection[str]], Mapping[str, str]]) -> Callable[..., None]:
    """The command with the credential values that it must look for."""

    def scan(
        paths: Annotated[list[str], typer.Argument(help="Files or directories; - is standard input.")],
        as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    ) -> None:
        """Look for secrets and internal addresses.

        Credentials, private addresses and hosts, home paths, prompt markers. Exit 0 where nothing is found, 3 where
        anything is, 1 where the scan could not be done.
        """
        from publisher.scanning.scanner import default_scanner

        scanner = default_scanner(known_values(()))
        findings = []
        for path in paths:
            source = scanner.scan_stream(sys.stdin.buffer, "-") if path == "-" else scanner.scan_path(Path(path))
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
