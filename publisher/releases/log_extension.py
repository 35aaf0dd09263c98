"""How the release log grows by a release; one that begins beside a snapshot begins with its earlier releases."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from dataset.canonical import sha256_hex
from publisher.projection.index import index_at, next_index
from publisher.release_log.checkpoint import read_checkpoint
from publisher.release_log.differences import holding_signers
from publisher.release_log.entry import LogEntry, ReleaseEntry, encoded
from publisher.release_log.log import ReleaseLog, extend, unsigned_origin
from publisher.release_log.merkle import leaf_hash
from publisher.release_log.note import Signer
from publisher.release_log.sequence import AddedBatch, arranged
from publisher.releases.change import Change, WrittenReport, added_batch
from publisher.releases.held import Held

Release = tuple[LogEntry, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class NextRelease:
    """The index of the next release as bytes, and the log that ends with it."""

    index: bytes = field(repr=False)
    log: ReleaseLog = field(repr=False)


def next_release(held: Held, change: Change, signer: Signer | None) -> NextRelease:
    """What a change makes of the index and the log. A snapshot without a log gets one that begins with the releases it
    has, each with its checkpoint, as if there had been a log from the first on."""
    before = [] if held.log.log is not None else list(_earlier_releases(held))
    added = [added_batch(written) for written in change.added]
    index = next_index(
        held.index,
        [written.entry for written in change.added],
        revised={written.report.batch_id: sha256_hex(written.data) for written in change.revised},
        log=_origin(held.log.log, before, added, signer),
    )
    release = arranged(
        ReleaseEntry(number=len(index.releases), index_sha256=sha256_hex(index.canonical)),
        batches=added,
        withdrawals=change.withdrawals,
        reveals=change.reveals,
        revised=[written.log_entry for written in change.revised],
    )
    return NextRelease(index=index.canonical, log=extend(held.log.log, [*before, release], signer))


def signers(log: ReleaseLog | None, release: int | None = None) -> tuple[str, ...]:
    """The names of those whose signature of a release holds by the keys that the log names: of the latest one, unless
    its number is given. Whoever copies a snapshot can write other lines under a checkpoint."""
    if log is None:
        return ()
    checkpoint = log.checkpoints[(release or len(log.checkpoints)) - 1]
    return tuple(dict.fromkeys(key.name for key in holding_signers(read_checkpoint(checkpoint), log.keys)))


def _earlier_releases(held: Held) -> Iterator[Release]:
    index = held.index
    if index is None:
        return
    for release in index.releases:
        reports = map(held.report, release.batches)
        yield arranged(
            ReleaseEntry(number=release.number, index_sha256=sha256_hex(index_at(index, release.number).canonical)),
            batches=[added_batch(WrittenReport.of(report)) for report in reports if report is not None],
        )


def _origin(log: ReleaseLog | None, before: list[Release], added: list[AddedBatch], signer: Signer | None) -> str:
    if log is not None:
        return log.origin
    if signer is not None:
        return signer.name
    first = before[0][0] if before else min(added, key=lambda batch: batch.report.batch_id).runs[0]
    return unsigned_origin(leaf_hash(encoded(first)))
