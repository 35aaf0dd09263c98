"""`glassbench policy apply FILE`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dataset.console import print_json

if TYPE_CHECKING:
    from dataset.store.policies import AppliedPolicy


def policy_apply(
    file: Annotated[Path, typer.Argument(help="The policy, as TOML.", show_default=False)],
    check: Annotated[bool, typer.Option("--check", help="Only say what it would do.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Make the policy of a file the active one.

    The file is the whole policy: what it leaves out isn't limited. Batches that exist keep the one they have.
    """
    from dataset.store.policies import apply_policy
    from dataset.store.session import open_database
    from engine.cli.limits_table import print_policy
    from engine.ledger.policy_file import read_policy

    policy = read_policy(file)
    with open_database() as database, database.transaction() as connection:
        applied = apply_policy(connection, policy.content())
        if check:
            connection.rollback()
    if as_json:
        print_json(
            {
                "hash": applied.hash,
                "changed": applied.changed and not check,
                "would_change": applied.changed,
                "known_before": applied.known_before,
                "replaced": applied.replaced,
            }
        )
        return
    print(_told(applied, check=check))
    print_policy(policy)


def _told(applied: AppliedPolicy, *, check: bool) -> str:
    if not applied.changed:
        return f"policy {applied.hash} is active already"
    verb = "would become" if check else "is now"
    again = " again" if applied.known_before else ""
    instead = f" in place of {applied.replaced[:12]}…" if applied.replaced else ""
    return f"policy {applied.hash} {verb} active{again}{instead}"
