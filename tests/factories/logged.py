"""Snapshots with a release log: each release of the index as its own entries."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from dataset.canonical import canonical_bytes, sha256_hex
from publisher.projection.index import Index
from publisher.projection.report import Report
from publisher.release_log.entry import LogEntry, ReleaseEntry, ReportEntry, RunEntry, encoded
from publisher.release_log.files import log_files
from publisher.release_log.log import ReleaseLog, extend, unsigned_origin
from publisher.release_log.merkle import leaf_hash
from publisher.release_log.note import Signer
from publisher.release_log.sequence import AddedBatch, arranged
from tests.factories.snapshot import SampleBatch, write_snapshot

OWNER = Signer(name="example.org/releases", seed=bytes(range(32)))
STRANGER = Signer(name="example.org/stranger", seed=bytes(range(1, 33)))


def write_logged_snapshot(
    directory: Path, batches: Sequence[SampleBatch], *, signer: Signer | None = None, unlogged: int = 0
) -> ReleaseLog:
    """A snapshot on disk, each batch a release of its own, with its log; returns the log. The first `unlogged` releases
    were made before there was one."""
    write_snapshot(directory, batches)
    first = batches[0].report
    run = RunEntry(run_id=first.runs[0].run_id, batch_id=first.batch_id, artifact_hash=first.runs[0].artifact_hash)
    origin = signer.name if signer else unsigned_origin(leaf_hash(encoded(run)))
    index = Index.model_validate_json((directory / "index.json").read_bytes())
    log: ReleaseLog | None = None
    for release in index.releases:
        reports = tuple(entry for entry in index.reports if entry.release <= release.number)
        releases = index.releases[: release.number]
        named = None if release.number <= unlogged else origin
        standing = index.model_copy(update={"releases": releases, "reports": reports, "log": named})
        data = canonical_bytes(standing.body())
        (directory / "index.json").write_bytes(data)
        added = [_added(directory, batch_id) for batch_id in release.batches]
        entries = arranged(ReleaseEntry(number=release.number, index_sha256=sha256_hex(data)), batches=added)
        log = extend(log, [entries], signer)
    assert log is not None
    write_log(directory, log)
    return log


def extend_log(directory: Path, log: ReleaseLog, entries: Sequence[LogEntry], *, signer: Signer | None) -> ReleaseLog:
    """Ends a release of these entries with the index as it stands, and writes the log that it gives."""
    end = ReleaseEntry(number=len(log.sizes) + 1, index_sha256=sha256_hex((directory / "index.json").read_bytes()))
    grown = extend(log, [(*entries, end)], signer)
    write_log(directory, grown)
    return grown


def write_log(directory: Path, log: ReleaseLog) -> None:
    """The files of a log, in the place of those that stood there."""
    shutil.rmtree(directory / "log", ignore_errors=True)
    for name, data in log_files(log):
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_bytes(data)


def _added(directory: Path, batch_id: str) -> AddedBatch:
    data = (directory / "reports" / f"{batch_id}.json").read_bytes()
    report = Report.model_validate_json(data)
    return AddedBatch(
        runs=tuple(
            RunEntry(run_id=line.run_id, batch_id=report.batch_id, artifact_hash=line.artifact_hash)
            for line in report.every_run
        ),
        report=ReportEntry(batch_id=report.batch_id, sha256=sha256_hex(data)),
    )
