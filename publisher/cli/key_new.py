"""`glassbench key new NAME`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dataset.console import print_json


def key_new(
    name: Annotated[str, typer.Argument(help="A place of yours, without a scheme: example.org/bench.")],
    file: Annotated[
        Path | None, typer.Option("--file", help="Where to put it, instead of the key directory.", dir_okay=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Make a key to sign releases with. Its file stays with you; the key printed is for everyone."""
    from dataset.home import state_directory
    from publisher.release_log.key_file import key_path, new_key

    path = key_path(name, state_directory()) if file is None else file.absolute()
    verifier = new_key(name, path).verifier
    if as_json:
        print_json({"verifier_key": str(verifier), "key_id": verifier.key_id, "file": str(path)})
        return
    print(verifier)
    print(f"→ the signing key is in {path}: keep a copy where nobody else can read it")
    print("→ publish the line above somewhere else than on the site of the snapshot, so that a reader can hold the")
    print("  site to it: `glassbench verify DIR --key …`")
