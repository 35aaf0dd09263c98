"""Logs for tests: entries by number, keys from fixed seeds, and a log as a dictionary of files."""

from __future__ import annotations

import hashlib

from publisher.release_log.entry import LogEntry, ReleaseEntry, ReportEntry, RunEntry, WithdrawalEntry
from publisher.release_log.files import log_files
from publisher.release_log.log import ReleaseLog, extend
from publisher.release_log.note import Signer
from publisher.release_log.sequence import AddedBatch, arranged

SIGNER = Signer(name="example.org/bench", seed=bytes(range(32)))
OTHER_SIGNER = Signer(name="example.org/next", seed=bytes(range(1, 33)))


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def run(batch: str, number: int) -> RunEntry:
    name = f"{batch}-{number:04}"
    return RunEntry.model_validate({"run_id": name, "batch_id": batch, "artifact_hash": sha(name)})


def report(batch: str, text: str = "") -> ReportEntry:
    return ReportEntry.model_validate({"batch_id": batch, "sha256": sha(batch + text)})


def added(batch: str, runs: int) -> AddedBatch:
    return AddedBatch(runs=tuple(run(batch, i) for i in range(runs)), report=report(batch))


def end(number: int) -> ReleaseEntry:
    return ReleaseEntry(number=number, index_sha256=sha(f"index {number}"))


def release(number: int, batch: str, runs: int) -> tuple[LogEntry, ...]:
    return arranged(end(number), batches=[added(batch, runs)])


def withdrawal(batch: str, number: int, reason: str = "its fixture was wrong") -> WithdrawalEntry:
    of = run(batch, number)
    return WithdrawalEntry(run_id=of.run_id, artifact_hash=of.artifact_hash, reason=reason)


def log_of(*runs: int, signer: Signer | None = SIGNER) -> ReleaseLog:
    """A log with one release for each number of runs."""
    return extend(None, [release(i, f"batch-{i}", count) for i, count in enumerate(runs, start=1)], signer)


def files_of(log: ReleaseLog) -> dict[str, bytes]:
    return dict(log_files(log))
