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
    return _pruned({name: value for name, value in document.items() if name not in SEALS})


def _pruned(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _pruned(inner) for name, inner in value.items() if name not in VOLATILE}
    return [_pruned(inner) for inner in value] if isinstance(value, list) else value
