"""Snapshots with a release log: each release of the index as its own entries."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from dataset.canonical import sha256_hex
from publisher.projection.index import Index, index_at
from publisher.release_log.entry import LogEntry, ReleaseEntry, encoded
from publisher.release_log.files import log_files
from publisher.release_log.log import ReleaseLog, extend, unsigned_origin
from publisher.release_log.merkle import leaf_hash
from publisher.release_log.note import Signer
from publisher.release_log.sequence import arranged
from publisher.releases.change import WrittenReport, added_batch
from tests.factories.snapshot import SampleBatch, write_snapshot

OWNER = Signer(name="example.org/releases", seed=bytes(range(32)))
STRANGER = Signer(name="example.org/stranger", seed=bytes(range(1, 33)))


def write_logged_snapshot(
    directory: Path,
    batches: Sequence[SampleBatch],
    *,
    signer: Signer | None = None,
    signers: Sequence[Signer | None] = (),
    unlogged: int = 0,
) -> ReleaseLog:
    """A snapshot on disk, each batch a release of its own, with its log; returns the log. All releases are signed by
    one signer, or each by its own. The first `unlogged` releases were made before there was a log."""
    write_snapshot(directory, batches)
    added = {str(batch.batch_id): added_batch(WrittenReport.of(batch.report)) for batch in batches}
    signing = signers or (signer,) * len(batches)
    origin = signing[0].name if signing[0] else unsigned_origin(leaf_hash(encoded(added[batches[0].batch_id].runs[0])))
    index = Index.model_validate_json((directory / "index.json").read_bytes())
    log: ReleaseLog | None = None
    for release, own in zip(index.releases, signing, strict=False):
        standing = index_at(index, release.number)
        if release.number > unlogged:
            standing = standing.model_copy(update={"log": origin})
        (directory / "index.json").write_bytes(standing.canonical)
        end = ReleaseEntry(number=release.number, index_sha256=sha256_hex(standing.canonical))
        log = extend(log, [arranged(end, batches=[added[batch_id] for batch_id in release.batches])], own)
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
