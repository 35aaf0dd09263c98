"""`glassbench batch resume ID`."""

from __future__ import annotations

from typing import Annotated

import typer

from engine.cli.batch_run import batch_run


def batch_resume(
    batch_id: Annotated[str, typer.Argument(help="The batch; see `batch list`.")],
    yes: Annotated[bool, typer.Option("--yes", help="Go on without asking, though it may cost money.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Let the workers go on with a paused batch: `batch run --detach` under its other name."""
    batch_run(batch_id, yes=yes, detach=True, as_json=as_json)
