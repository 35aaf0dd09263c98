"""`glassbench credential list`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dataset.console import print_json, print_table

if TYPE_CHECKING:
    from engine.credentials.stored_credentials import StoredState


def credential_list(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """List stored keys and whether they open here; never the keys."""
    from dataset.home import state_directory
    from dataset.store.session import open_database
    from engine.credentials.keyring_file import keyring_path
    from engine.credentials.stored_credentials import StoredCredentials
    from engine.providers.registry import ModelRegistry

    home = state_directory()
    with open_database() as database:
        stored = StoredCredentials(database=database, keyring=keyring_path(os.environ, home))
        states = stored.states(ModelRegistry.load(home).entries)
    if as_json:
        print_json([_facts(state) for state in states])
        return
    rows = [_facts(state) for state in states]
    print_table(
        "Stored keys",
        ("model", "origin", "ring key", "changed at", "state"),
        [(row["model"], row["origin"], row["key_id"], row["changed_at"], row["state"]) for row in rows],
    )
    for state in states:
        if state.fault is not None:
            print(f"{state.fault.message}\n  → {state.fault.hint}")


def _facts(state: StoredState) -> dict[str, Any]:
    return {
        "model": state.model_key,
        "origin": state.origin,
        "key_id": state.key_id,
        "changed_at": state.changed_at.isoformat(timespec="seconds") if state.changed_at else None,
        "state": "readable" if state.fault is None else state.fault.reason,
    }
