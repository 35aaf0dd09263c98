"""Runs that somebody changed, with as much of it made again as they took the trouble to."""

from __future__ import annotations

import json
from typing import Any

from dataset.artifacts.digest import artifact_hash, section_digest
from dataset.canonical import canonical_bytes


def read(data: bytes) -> dict[str, Any]:
    """The document in a file."""
    found: dict[str, Any] = json.loads(data)
    return found


def with_changed_section(data: bytes, name: str, *, digest: bool = False, whole: bool = False) -> bytes:
    """A run with other words in one section; the digest of the section made again, or the hash as well."""
    run = read(data)
    run[name] = _changed(run[name])
    if digest:
        run["digests"][name] = section_digest(run["salts"][name], run[name])
    if whole:
        run["artifact_hash"] = artifact_hash(run["run_id"], run["digests"])
    return canonical_bytes(run)


def _changed(value: Any) -> Any:
    """The value with its first text made longer."""
    found, _ = _lengthened(value)
    assert found != value
    return found


def _lengthened(value: Any) -> tuple[Any, bool]:
    if isinstance(value, str):
        return f"{value}0", True
    pairs = (
        list(value.items()) if isinstance(value, dict) else list(enumerate(value)) if isinstance(value, list) else []
    )
    for key, part in pairs:
        changed, done = _lengthened(part)
        if done:
            other = {**value, key: changed} if isinstance(value, dict) else [*value[:key], changed, *value[key + 1 :]]
            return other, True
    return value, False
