"""`glassbench credential rotate MODEL` and `glassbench credential rotate --ring`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from dataset.console import counted, print_json

if TYPE_CHECKING:
    from engine.credentials.vault import Vault


def credential_rotate(
    model: Annotated[str | None, typer.Argument(help="The model whose key is replaced.")] = None,
    source: Annotated[list[str] | None, typer.Argument(metavar="[-]", help="- reads standard input.")] = None,
    ring: Annotated[bool, typer.Option("--ring", help="Seal every stored key with a new key of the ring.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Replace one model's key by another, or the key that all are sealed with.

    The new key is asked for without being shown, or read from a pipe. Refused while a batch that uses it is active.
    """
    from dataset.home import state_directory
    from dataset.store.session import open_database
    from engine.credentials.keyring_file import keyring_path
    from engine.credentials.vault import Vault

    if ring == (model is not None):
        raise typer.BadParameter("give a model, or --ring")
    with open_database() as database:
        vault = Vault(database=database, keyring=keyring_path(os.environ, state_directory()))
        if model is None:
            _rotate_ring(vault, as_json=as_json)
        else:
            _rotate_key(vault, model, source or [], as_json=as_json)


def _rotate_ring(vault: Vault, *, as_json: bool) -> None:
    done = vault.rotate_ring()
    if as_json:
        print_json({"key_id": done.key_id, "resealed": done.resealed})
        return
    print(f"sealed {counted(done.resealed, 'stored key')} with the new ring key {done.key_id}")
    print("→ give every machine that runs workers the new key ring")


def _rotate_key(vault: Vault, model: str, source: list[str], *, as_json: bool) -> None:
    from dataset.home import state_directory
    from engine.credentials.key_input import read_key
    from engine.credentials.key_value import named_model
    from engine.providers.registry import ModelRegistry

    entry = named_model(ModelRegistry.load(state_directory()), model)
    key_id = vault.rotate(entry, lambda: read_key(entry.key, source))
    if as_json:
        print_json({"model": entry.key, "key_id": key_id})
        return
    print(f"replaced the key of {entry.key}")
    print("→ revoke the old one at its provider")
