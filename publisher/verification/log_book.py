"""What a release log says of batches and runs, by name, and where a snapshot says otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import assert_never

from publisher.projection.index import Index, IndexedReport
from publisher.projection.report import Report
from publisher.release_log.entry import (
    LogEntry,
    ReleaseEntry,
    ReportEntry,
    RevealEntry,
    RunEntry,
    WithdrawalEntry,
    read_entry,
)
from publisher.release_log.log import ReleaseLog
from publisher.release_log.tile import TILE_WIDTH, read_bundle
from publisher.verification.difference import Difference, compare, fault, short
from publisher.verification.files import INDEX, report_name, run_name

Reveals = list[tuple[int, tuple[str, ...]]]
"""Releases with the parts that each made public, of one run."""


@dataclass(kw_only=True, slots=True)
class LoggedBatch:
    """A batch in the log: the release that brought it, where its runs stand, and its report's latest sha256."""

    release: int
    start: int
    stop: int
    sha256: str


@dataclass(frozen=True, kw_only=True, slots=True)
class LoggedRelease:
    """A release in the log."""

    index_sha256: str
    batches: tuple[str, ...]
    revised: tuple[str, ...]


class LogBook:
    """A log, looked up by name. It holds where the runs of each batch stand, and what was withdrawn or revealed."""

    def __init__(self, log: ReleaseLog) -> None:
        self.log = log
        self.batches: dict[str, LoggedBatch] = {}
        self.withdrawals: dict[str, tuple[int, str]] = {}
        """Release and reason."""
        self.reveals: dict[str, Reveals] = {}
        self.releases: list[LoggedRelease] = []
        self._start: int | None = None
        self._added: list[str] = []
        self._revised: list[str] = []
        for position, entry in enumerate(log.entries()):
            self._take(position, entry)

    def _take(self, position: int, entry: LogEntry) -> None:
        number = len(self.releases) + 1
        match entry:
            case RunEntry():
                self._start = position if self._start is None else self._start
            case ReportEntry():
                self._take_report(position, entry, number)
            case WithdrawalEntry():
                self.withdrawals[entry.run_id] = number, entry.reason
            case RevealEntry():
                self.reveals.setdefault(entry.run_id, []).append((number, entry.sections))
            case ReleaseEntry():
                release = LoggedRelease(
                    index_sha256=entry.index_sha256, batches=tuple(self._added), revised=tuple(self._revised)
                )
                self.releases.append(release)
                self._added, self._revised = [], []
            case _:
                assert_never(entry)

    def _take_report(self, position: int, entry: ReportEntry, number: int) -> None:
        known = self.batches.get(entry.batch_id)
        if known is not None:
            known.sha256 = entry.sha256
            self._revised.append(entry.batch_id)
            return
        start = position if self._start is None else self._start
        self.batches[entry.batch_id] = LoggedBatch(release=number, start=start, stop=position, sha256=entry.sha256)
        self._added.append(entry.batch_id)
        self._start = None

    def runs(self, batch_id: str) -> Iterator[RunEntry]:
        """The runs of a batch, in the order of its report."""
        batch = self.batches[batch_id]
        for bundle in range(batch.start // TILE_WIDTH, -(-batch.stop // TILE_WIDTH)):
            first = bundle * TILE_WIDTH
            entries = read_bundle(self.log.bundles[bundle], min(TILE_WIDTH, self.log.size - first))
            for data in entries[max(batch.start - first, 0) : batch.stop - first]:
                entry = read_entry(data)
                if isinstance(entry, RunEntry):
                    yield entry

    def index_differences(self, index: Index, sha256: str) -> Iterator[Difference]:
        """Where the index, whose file has this sha256, isn't the one that the log ends with."""
        told = [{"batches": list(release.batches), "revised": list(release.revised)} for release in index.releases]
        logged = [{"batches": list(release.batches), "revised": list(release.revised)} for release in self.releases]
        for pointer, wanted, found in (
            ("/log", self.log.origin, index.log),
            ("/releases", len(logged), len(told)),
            *((f"/releases/{i}", *pair) for i, pair in enumerate(zip(logged, told, strict=False))),
            ("", self.releases[-1].index_sha256, sha256),
        ):
            for difference in compare("the release log says otherwise", wanted, found):
                yield difference.within_pointer(pointer).within(INDEX)
        named = {entry.batch_id for entry in index.reports}
        for batch_id in self.batches:
            if batch_id not in named:
                yield from self._vanished_batch(batch_id)

    def _vanished_batch(self, batch_id: str) -> Iterator[Difference]:
        release = self.batches[batch_id].release
        yield fault(report_name(batch_id), f"release {release} brought it, says the log, and the index doesn't name it")
        for entry in self.runs(batch_id):
            yield _vanished(entry.run_id, release)

    def report_differences(self, report: Report, entry: IndexedReport, sha256: str) -> Iterator[Difference]:
        """Where a report, whose file has this sha256, isn't what the log says of its batch."""
        file, batch = report_name(entry.batch_id), self.batches.get(entry.batch_id)
        if batch is None:
            yield fault(file, "has no entry in the release log")
            return
        for message, wanted, found in (
            ("the release that brought it is another in the log", str(batch.release), str(entry.release)),
            ("sha256 differs from its latest entry in the release log", batch.sha256, sha256),
        ):
            if wanted != found:
                yield Difference(place=file, expected=wanted, observed=found, message=message)
        yield from self._run_differences(report, file, entry.batch_id)
        yield from self._withdrawal_differences(report)
        yield from self._reveal_differences(report)

    def _run_differences(self, report: Report, file: str, batch_id: str) -> Iterator[Difference]:
        logged = {str(entry.run_id): entry.artifact_hash for entry in self.runs(batch_id)}
        told = {str(line.run_id): line.artifact_hash for line in report.every_run}
        if list(logged.items()) == list(told.items()):
            return
        if logged == told:
            yield fault(f"{file}#/runs", "not in the order of the release log")
        for run_id in sorted(logged.keys() - told.keys()):
            yield _vanished(run_id, self.batches[batch_id].release)
        for run_id, artifact_hash in told.items():
            if run_id not in logged:
                yield fault(run_name(run_id), "has no entry in the release log")
            elif logged[run_id] != artifact_hash:
                yield Difference(
                    place=f"{run_name(run_id)}#/artifact_hash",
                    expected=logged[run_id],
                    observed=artifact_hash,
                    message="isn't the hash that the release log holds",
                )

    def _withdrawal_differences(self, report: Report) -> Iterator[Difference]:
        told = {str(w.run_id): f"release {w.release}: {w.reason}" for w in report.withdrawals}
        own = (str(line.run_id) for line in report.every_run)
        found = ((run_id, self.withdrawals[run_id]) for run_id in own if run_id in self.withdrawals)
        logged = {run_id: f"release {release}: {reason}" for run_id, (release, reason) in found}
        yield from _run_by_run("withdrawn otherwise than the release log says", logged, told)

    def _reveal_differences(self, report: Report) -> Iterator[Difference]:
        own = (str(line.run_id) for line in report.every_run)
        logged = {run_id: _reveals_text(self.reveals[run_id]) for run_id in own if run_id in self.reveals}
        told = {run_id: _reveals_text(reveals) for run_id, reveals in revealed_runs(report).items()}
        yield from _run_by_run("revealed otherwise than the release log says", logged, told)


def revealed_runs(report: Report) -> dict[str, Reveals]:
    """What a report says to have been revealed, run by run. A run that had been withdrawn by then is left alone."""
    found: dict[str, Reveals] = {}
    for reveal in report.reveals:
        for line in report.every_run:
            gone = report.withdrawn.get(line.run_id)
            if line.case_id == reveal.case_id and (gone is None or gone.release > reveal.release):
                found.setdefault(line.run_id, []).append((reveal.release, reveal.parts))
    return found


def _reveals_text(reveals: Reveals) -> str:
    return "; ".join(f"release {release}: {', '.join(parts)}" for release, parts in reveals)


def _run_by_run(message: str, logged: Mapping[str, str], told: Mapping[str, str]) -> Iterator[Difference]:
    for run_id in sorted(logged.keys() | told.keys()):
        wanted, found = (text.get(run_id, "nothing") for text in (logged, told))
        if wanted != found:
            yield Difference(place=run_name(run_id), expected=short(wanted), observed=short(found), message=message)


def _vanished(run_id: str, release: int) -> Difference:
    return fault(run_name(run_id), f"vanished: release {release} brought this run, says the log, and no report has it")
