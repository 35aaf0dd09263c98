"""`glassbench credential remove MODEL`."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from dataset.console import print_json


def credential_remove(
    model: Annotated[str, typer.Argument(help="The model; see `credential list`.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Remove a model's stored key. Refused while a batch that uses it is active."""
    from dataset.home import state_directory
    from dataset.store.session import open_database
    from engine.credentials.keyring_file import keyring_path
    from engine.credentials.vault import Vault

    with open_database() as database:
        Vault(database=database, keyring=keyring_path(os.environ, state_directory())).remove(model)
    if as_json:
        print_json({"model": model, "removed": True})
        return
    print(f"removed the key of {model}")
    print("→ revoke it at its provider if it isn't used elsewhere")
