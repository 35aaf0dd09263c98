"""`glassbench key show`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from dataset.console import print_json


def key_show(
    file: Annotated[
        Path | None, typer.Option("--file", help="The key's file, where there are several.", dir_okay=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show the key that the next release would be signed with; never its secret."""
    from dataset.canonical import sha256_hex
    from dataset.home import state_directory
    from publisher.release_log.errors import KeyFileError
    from publisher.release_log.key_file import chosen_key, read_key

    path = chosen_key(file and file.absolute(), os.environ, state_directory())
    if path is None:
        raise KeyFileError(
            "there is no signing key: releases are unsigned",
            code="KEY-CHOICE-002",
            hint="make one with `glassbench key new NAME`",
        )
    verifier = read_key(path).verifier
    facts = {
        "verifier_key": str(verifier),
        "name": verifier.name,
        "key_id": verifier.key_id,
        "fingerprint": sha256_hex(verifier.public),
        "file": str(path),
    }
    if as_json:
        print_json(facts)
        return
    for name, value in facts.items():
        print(f"{name.replace('_', ' '):13} {value}")
