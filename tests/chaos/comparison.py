"""What two runs of the same case have in common, however often either was interrupted."""

from __future__ import annotations

import json
from typing import Any

from dataset.record import RunId

VOLATILE = {"started_at", "finished_at", "latency_ms", "attempt", "batch_id", "request_id", "supersedes"}
SEALS = ("salts", "digests", "artifact_hash", "run_id")


def lasting(artifacts: dict[RunId, bytes]) -> dict[str, Any]:
    """By position: the artifacts without times, ids, salts and attempts."""
    return {run_id.rpartition("-")[2]: _lasting(json.loads(data)) for run_id, data in artifacts.items()}


def _lasting(document: dict[str, Any]) -> Any:
    document["provenance"].pop("code")  # of the tree that the tests run in, which may be committed to meanwhile
    return _pruned({name: value for name, value in document.items() if name not in SEALS})


def _pruned(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _pruned(inner) for name, inner in value.items() if name not in VOLATILE}
    return [_pruned(inner) for inner in value] if isinstance(value, list) else value


def differences(found: Any, expected: Any, pointer: str = "") -> list[str]:
    """The places at which two values differ, with both values cut short."""
    if isinstance(found, dict) and isinstance(expected, dict) and set(found) == set(expected):
        return [line for name in found for line in differences(found[name], expected[name], f"{pointer}/{name}")]
    if isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        pairs = enumerate(zip(found, expected, strict=True))
        return [line for n, (own, other) in pairs for line in differences(own, other, f"{pointer}/{n}")]
    return [] if found == expected else [f"{pointer}: {str(found)[:200]} is not {str(expected)[:200]}"]
