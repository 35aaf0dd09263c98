"""What a careful forger leaves of a snapshot: other files, under hashes that were made anew."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from dataset.canonical import canonical_bytes, sha256_hex
from dataset.record import RunId
from publisher.projection.report import Report
from tests.factories.snapshot import SampleBatch


def forge_index(directory: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Changes the index, in canonical form."""
    index = json.loads((directory / "index.json").read_bytes())
    change(index)
    (directory / "index.json").write_bytes(canonical_bytes(index))


def put_report(directory: Path, batch_id: str, body: Mapping[str, Any]) -> None:
    """Puts a report in the place of a batch's, with its sha256 in the index."""
    data = canonical_bytes(dict(body))
    (directory / "reports" / f"{batch_id}.json").write_bytes(data)

    def agree(index: dict[str, Any]) -> None:
        for entry in index["reports"]:
            if entry["batch_id"] == batch_id:
                entry["sha256"] = sha256_hex(data)

    forge_index(directory, agree)


def rewrite_report(directory: Path, change: Callable[[Report], Report]) -> None:
    """Changes the report of batch-1."""
    report = Report.model_validate_json((directory / "reports/batch-1.json").read_bytes(), strict=True)
    put_report(directory, report.batch_id, change(report).body())


def forge_runs(directory: Path, batch: SampleBatch, artifacts: Mapping[Any, bytes]) -> None:
    """Puts other artifacts in, with the report that follows from them."""
    for run_id, data in artifacts.items():
        (directory / "runs" / f"{run_id}.json").write_bytes(data)
    forged = {RunId(run_id): data for run_id, data in artifacts.items()}
    put_report(directory, batch.batch_id, batch.report_of({**batch.artifacts, **forged}).body())
