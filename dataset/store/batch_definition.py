"""The definition of a batch as its row keeps it: its hash computed again, then read."""

from __future__ import annotations

from pydantic import ValidationError

from dataset.artifacts.artifact import CodeIdentity
from dataset.artifacts.definition import BatchDefinition
from dataset.canonical import CanonicalError, read_strict, sha256_hex
from dataset.store.errors import StoreError


class BatchHashError(StoreError):
    """The stored definition of a batch isn't the one that was frozen."""

    code = "BATCH-HASH-001"


def stored_definition(batch_id: str, content: bytes, recorded_hash: str) -> BatchDefinition:
    """The definition; BatchHashError where it was changed, or where this version of Glassbench can't read it."""
    computed = sha256_hex(content)
    if computed != recorded_hash:
        raise BatchHashError(
            f"batch {batch_id}: its definition has hash {computed}, recorded is {recorded_hash}",
            hint="the row was changed behind Glassbench's back: restore the database",
        )
    try:
        return BatchDefinition.model_validate_json(content)
    except ValidationError:
        creator = _creator(content)
        raise BatchHashError(
            f"batch {batch_id}: its definition can't be read by this version of Glassbench",
            hint=f"use version {creator}, which created it" if creator else "it doesn't say which version created it",
        ) from None


def _creator(content: bytes) -> str | None:
    """The version, with the commit where there is one, that a definition says it was created by."""
    try:
        code = CodeIdentity.model_validate(read_strict(content, allow_floats=True)["code"])
    except (CanonicalError, ValidationError, KeyError, TypeError):
        return None
    return code.version + (f" (commit {code.commit})" if code.commit else "")
