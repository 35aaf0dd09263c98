"""`glassbench credential set MODEL`."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from dataset.console import print_json


def credential_set(
    model: Annotated[str, typer.Argument(help="The model's key in the registry; see `model list`.")],
    source: Annotated[list[str] | None, typer.Argument(metavar="[-]", help="- reads standard input.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Store a model's key, encrypted.

    It is asked for without being shown, or read from a pipe; never given on the command line. What stood there is
    overwritten, whether it could be read or not.
    """
    from dataset.home import state_directory
    from dataset.store.session import open_database
    from engine.credentials.key_input import read_key
    from engine.credentials.key_value import named_model
    from engine.credentials.keyring_file import keyring_path
    from engine.credentials.vault import Vault
    from engine.providers.registry import ModelRegistry

    home = state_directory()
    entry, keyring = named_model(ModelRegistry.load(home), model), keyring_path(os.environ, home)
    with open_database() as database:
        vault = Vault(database=database, keyring=keyring)
        done = vault.set(entry, lambda: read_key(entry.key, source or ()))
    if done.keyring_created:
        print(
            f"note: made the key ring {keyring}; keep a copy apart from the database's, and give every machine that "
            "runs workers the same one",
            file=sys.stderr,
        )
    if as_json:
        print_json({"model": entry.key, "key_id": done.key_id, "replaced": done.replaced})
        return
    print(f"{'replaced' if done.replaced else 'stored'} the key of {entry.key}")
