"""`glassbench policy list`."""

from __future__ import annotations

from typing import Annotated

import typer

from dataset.console import print_json, print_table


def policy_list(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """List every policy that was ever active."""
    from dataset.store.policies import list_policies
    from dataset.store.session import open_database
    from engine.telemetry.clock import utc_text

    with open_database() as database, database.transaction() as connection:
        known = list_policies(connection)
    if as_json:
        print_json([{"hash": p.hash, "active": p.active, "activated_at": utc_text(p.activated_at)} for p in known])
    elif not known:
        print("no policy has been applied yet\n→ see `glassbench policy show` for the default")
    else:
        print_table(
            "",
            ("policy", "activated at", "state"),
            [(p.hash, utc_text(p.activated_at), "active" if p.active else None) for p in known],
        )
