"""What a release changes in a snapshot, as values; everything else stays byte for byte."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from dataset.canonical import sha256_hex
from publisher.projection.index import NewReport
from publisher.projection.report import Report
from publisher.release_log.entry import ReportEntry, RevealEntry, RunEntry, WithdrawalEntry
from publisher.release_log.sequence import AddedBatch


@dataclass(frozen=True, kw_only=True, slots=True)
class WrittenReport:
    """A report with the bytes of its file."""

    report: Report
    data: bytes = field(repr=False)

    @classmethod
    def of(cls, report: Report) -> WrittenReport:
        """A report as it is written."""
        return cls(report=report, data=report.canonical)

    @property
    def entry(self) -> NewReport:
        """What the index says of it."""
        return NewReport(
            batch_id=self.report.batch_id,
            sha256=sha256_hex(self.data),
            runs=len(self.report.every_run),
            synthetic=self.report.synthetic,
            finished_at=self.report.finished_at,
        )

    @property
    def log_entry(self) -> ReportEntry:
        """What the log says of it."""
        return ReportEntry(batch_id=self.report.batch_id, sha256=sha256_hex(self.data))


def added_batch(written: WrittenReport) -> AddedBatch:
    """What the log says of a batch that a release adds."""
    report = written.report
    return AddedBatch(
        runs=tuple(
            RunEntry(run_id=line.run_id, batch_id=report.batch_id, artifact_hash=line.artifact_hash)
            for line in report.every_run
        ),
        report=written.log_entry,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """A release to be made: new reports, those of earlier batches that change, and the run files of both.

    `run_files` gives the name and bytes of each run file that is new or replaced, one at a time; `replaced` names
    those of them that the snapshot holds already. `size` is roughly how many bytes all of it takes.
    """

    added: tuple[WrittenReport, ...] = ()
    revised: tuple[WrittenReport, ...] = ()
    withdrawals: tuple[WithdrawalEntry, ...] = ()
    reveals: tuple[RevealEntry, ...] = ()
    run_files: Callable[[], Iterator[tuple[str, bytes]]] = field(repr=False)
    replaced: frozenset[str] = frozenset()
    size: int
