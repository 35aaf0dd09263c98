"""What the reader of a mirror brings along, and trusts more than the mirror: keys, a checkpoint, an earlier mirror."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from publisher.mirror.errors import GivenError
from publisher.release_log.checkpoint import read_checkpoint
from publisher.release_log.errors import MalformedError
from publisher.release_log.note import LARGEST_NOTE, PRIVATE_MARK, VerifierKey, read_verifier_key, read_verifier_keys
from publisher.verification.files import read_file, why_unread


@dataclass(frozen=True, kw_only=True, slots=True)
class Given:
    """`checkpoint` is the file that the reader kept, `previous` the directory of an older mirror or snapshot."""

    keys: tuple[VerifierKey, ...] = ()
    checkpoint: bytes | None = field(default=None, repr=False)
    previous: Path | None = None


def read_given(*, keys: Sequence[str], checkpoint: Path | None, previous: Path | None) -> Given:
    """What was named on a command line. A key is its text or a file with keys, one a line. GivenError."""
    found = [key for text in keys for key in _keys(text)]
    data = _checkpoint(checkpoint) if checkpoint else None
    return Given(keys=tuple(dict.fromkeys(found)), checkpoint=data, previous=previous)


def _keys(text: str) -> tuple[VerifierKey, ...]:
    if PRIVATE_MARK in text:
        raise GivenError(
            "--key: a signing key", hint="that one is secret; give the key that `glassbench key show` prints"
        )
    try:
        return (read_verifier_key(text),)
    except MalformedError as error:
        if not _names_something(text):
            raise GivenError(
                f"--key: {error.message}", hint="give `name+id+base64`, or a file with such keys"
            ) from None
    try:
        return read_verifier_keys(_bytes(Path(text)))
    except MalformedError as error:
        raise GivenError(f"{text}: {error.message}", hint="a file of keys has `name+id+base64` on each line") from None


def _names_something(text: str) -> bool:
    try:
        return bool(text) and os.path.lexists(text)
    except ValueError:  # a zero byte
        return False


def _checkpoint(file: Path) -> bytes:
    try:
        data = _bytes(file)
        read_checkpoint(data)
    except MalformedError as error:
        raise GivenError(
            f"{file}: {error.message}",
            code="VERIFY-CHECKPOINT-001",
            hint="give a copy of `log/checkpoint` that you kept",
        ) from None
    return data


def _bytes(file: Path) -> bytes:
    try:
        return read_file(file, largest=LARGEST_NOTE)
    except OSError as error:
        raise MalformedError(f"can't be read: {why_unread(error)}") from None
