"""`glassbench ledger audit`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dataset.console import EXIT_FOUND, counted, print_json, print_table, span_text
from engine.cli.ledger_show import STATES

if TYPE_CHECKING:
    from dataset.store.ledger_drift import Drift
    from dataset.store.ledger_rows import OpenAttempt


def ledger_audit(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Recompute every total from the attempts and compare.

    Ends with 3 where one differs: nothing is admitted then, until the database is mended.
    """
    from dataset.store.ledger_drift import drift
    from dataset.store.ledger_rows import count_attempts, open_attempts, scope_totals
    from dataset.store.policies import list_policies
    from dataset.store.session import open_database

    with open_database() as database, database.transaction() as connection:
        list_policies(connection)  # a policy whose hash is wrong is an error of its own
        count = count_attempts(connection)
        differences = drift(connection)
        waiting = open_attempts(connection)
        totals = scope_totals(connection)
    overdrawn = [found.scope for found in totals if found.overdrawn]
    if as_json:
        print_json(
            {
                "attempts": count,
                "scopes": len(totals),
                "drift": [_difference(found) for found in differences],
                "open": [_open(found) for found in waiting],
                "overdrawn": [scope._asdict() for scope in overdrawn],
            }
        )
    else:
        _print_differences(differences, count, len(totals))
        _print_open(waiting)
        for scope in overdrawn:
            print(f"{scope} is overdrawn: an attempt used more than it had reserved")
    if differences:
        raise typer.Exit(EXIT_FOUND)


def _print_differences(differences: Sequence[Drift], attempts: int, scopes: int) -> None:
    if not differences:
        print(
            f"every total is what the attempts add up to ({counted(attempts, 'attempt')}, {counted(scopes, 'scope')})"
        )
        return
    print_table(
        "totals that have drifted: nothing is admitted",
        ("scope", "minute (UTC)", "figure", "#kept", "#recomputed"),
        [
            (str(d.scope), f"{d.minute:%Y-%m-%d %H:%M}" if d.minute else None, d.figure, d.told_kept, d.told_recomputed)
            for d in differences
        ],
    )
    print("→ somebody changed rows behind Glassbench's back: restore the database from a backup")


def _print_open(waiting: Sequence[OpenAttempt]) -> None:
    if not waiting:
        print("no attempt is open")
        return
    print_table(
        f"{counted(len(waiting), 'open attempt')}, the oldest first",
        ("attempt", "state", "model", "#lease", "#age"),
        [
            (
                f"{found.attempt.call_key}#{found.attempt.ordinal}",
                STATES[found.attempt.state],
                found.attempt.model_key,
                found.attempt.lease_token,
                span_text(found.age),
            )
            for found in waiting
        ],
    )


def _difference(found: Drift) -> dict[str, Any]:
    return {
        "kind": found.scope.kind,
        "key": found.scope.key,
        "minute": f"{found.minute:%Y-%m-%dT%H:%M:00.000Z}" if found.minute else None,
        "figure": found.figure,
        "kept": found.told_kept,
        "recomputed": found.told_recomputed,
    }


def _open(found: OpenAttempt) -> dict[str, Any]:
    row = found.attempt
    return {
        "call_key": row.call_key,
        "ordinal": row.ordinal,
        "batch_id": row.batch_id,
        "model_key": row.model_key,
        "state": row.state,
        "lease_token": row.lease_token,
        "seconds": round(found.age, 3),
    }
