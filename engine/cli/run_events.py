"""`glassbench run events RUN [--follow]`."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import typer

from dataset.console import printable

if TYPE_CHECKING:
    from dataset.store.runs import StoredEvent

POLL_SECONDS = 0.5


def run_events(
    run_id: Annotated[str, typer.Argument(help="The run: batch id, hyphen, position.")],
    follow: Annotated[bool, typer.Option("--follow", help="Go on until the run has its artifact.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a line.")] = False,
) -> None:
    """Print a run's events as they are recorded."""
    from dataset.record import RunId
    from dataset.store.runs import artifact_bytes, events
    from dataset.store.session import open_database

    own = RunId(run_id)
    last: tuple[int, int] | None = None
    with open_database() as database:
        while True:
            # Asked before the events are read: what is recorded in between is still printed.
            finished = artifact_bytes(database, own) is not None
            for event in events(database, own, after=last):
                print(_json_line(event) if as_json else _line(event), flush=True)
                last = (event.attempt, event.seq)
            if finished or not follow:
                return
            time.sleep(POLL_SECONDS)


def _json_line(event: StoredEvent) -> str:
    import json

    from engine.telemetry.clock import utc_text

    line = {
        "attempt": event.attempt,
        "seq": event.seq,
        "kind": event.kind,
        "recorded_at": utc_text(event.recorded_at),
        "body": json.loads(event.body),
    }
    return json.dumps(line, sort_keys=True)


def _line(event: StoredEvent) -> str:
    body = event.body.decode("utf-8", "replace")
    shortened = body if len(body) <= 160 else body[:159] + "…"
    return printable(f"{event.recorded_at:%H:%M:%S} {event.attempt}.{event.seq:<3} {event.kind:14} {shortened}")
