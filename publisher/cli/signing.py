"""The options that say how a release is signed, the same for every command that makes one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from publisher.releases.writer import Signing

KeyOption = Annotated[
    Path | None, typer.Option("--key", help="The signing key's file, instead of the one in the key directory.")
]
UnsignedOption = Annotated[bool, typer.Option("--unsigned", help="Don't sign; every page says so.")]


def chosen_signing(key: Path | None, *, unsigned: bool) -> Signing:
    """How the release is signed; KeyFileError where the key that is named can't be used."""
    from dataset.home import state_directory
    from publisher.release_log.key_file import load_signer
    from publisher.releases.writer import Signing

    if unsigned and key is not None:
        raise typer.BadParameter("--key and --unsigned can't go together")
    if unsigned:
        return Signing(unsigned=True)
    return Signing(signer=load_signer(key and key.absolute(), os.environ, state_directory()))
