"""`glassbench doctor`."""

from __future__ import annotations

from typing import Annotated

import typer

from dataset.console import EXIT_ERROR, print_json, printable


def doctor(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Check that everything is in place.

    Python, PostgreSQL, schema, packs and providers: each ok, blocked or unknown, with what to do. Exit 1 if blocked.
    """
    import os

    from engine.doctor.examination import examine

    findings = examine(os.environ)
    if as_json:
        print_json([finding.body() for finding in findings])
    else:
        for finding in findings:
            print(printable(f"{finding.state:8} {finding.subject:12} {finding.detail}"))
            if finding.mend:
                print(printable(f"{'':21} → {finding.mend}"))
    if any(finding.state == "blocked" for finding in findings):
        raise typer.Exit(EXIT_ERROR)
