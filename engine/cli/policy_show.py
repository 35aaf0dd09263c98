"""`glassbench policy show [HASH]`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from dataset.console import print_json
from dataset.errors import GlassbenchError

if TYPE_CHECKING:
    from dataset.store.policies import StoredPolicy


def policy_show(
    wanted: Annotated[str | None, typer.Argument(metavar="HASH", help="A policy, or the start of its hash.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show the active policy, or another one."""
    from dataset.store.policies import list_policies
    from dataset.store.session import open_database
    from engine.cli.limits_table import print_policy
    from engine.ledger.policy import DEFAULT_POLICY, Policy
    from engine.telemetry.clock import utc_text

    with open_database() as database, database.transaction() as connection:
        known = list_policies(connection)
    stored = _chosen(known, wanted)
    policy = Policy.of_content(stored.content) if stored else DEFAULT_POLICY
    if as_json:
        print_json(
            {
                "hash": policy.digest(),
                "active": stored is not None and stored.active,
                "activated_at": utc_text(stored.activated_at) if stored else None,
                "policy": policy.body(),
            }
        )
        return
    if stored is None:
        print("no policy has been applied yet; this default becomes active with the first batch")
    else:
        state = "active since" if stored.active else "not active; was activated"
        print(f"policy {stored.hash}: {state} {utc_text(stored.activated_at)}")
    print_policy(policy)


def _chosen(known: list[StoredPolicy], wanted: str | None) -> StoredPolicy | None:
    if wanted is None:
        return known[0] if known else None
    found = [stored for stored in known if stored.hash.startswith(wanted.lower())]
    if len(found) == 1:
        return found[0]
    raise GlassbenchError(
        f"{'several policies have a hash that starts' if found else 'no policy has a hash that starts'} with {wanted}",
        code="LEDGER-POLICY-002",
        hint="see `glassbench policy list`",
    )
