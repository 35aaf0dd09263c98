"""`verify`: a whole snapshot, from its files alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future
from dataclasses import dataclass, field
from pathlib import Path

from dataset.canonical import sha256_hex
from publisher.projection.index import Index, IndexedReport
from publisher.projection.report import Report
from publisher.release_log.checkpoint import read_checkpoint
from publisher.release_log.differences import holding_signers, log_differences, signed_releases
from publisher.release_log.lines import base64_text
from publisher.release_log.note import VerifierKey
from publisher.release_log.reading import read_log
from publisher.verification.batch_findings import BatchFindings, batch_findings, findings_elsewhere
from publisher.verification.difference import Difference, LogFacts, Verification, compare
from publisher.verification.document import read_record
from publisher.verification.files import INDEX, Files, in_log, report_name, run_name
from publisher.verification.index import index_differences, index_fault
from publisher.verification.log_book import LogBook
from publisher.verification.past import NO_PAST, past_of
from publisher.verification.replay import replay_findings

Elsewhere = Future[tuple[BatchFindings, set[bytes]] | None]
"""The findings of a batch that a worker is asked for, and the digests of its steps; None where it can't tell."""
MISSING = "missing"
"""What the message of every difference about a file that isn't there begins with."""
Progress = Callable[[int, int], None]
"""Told how many runs of how many were checked."""


def verify(directory: Path) -> Verification:
    """What was checked in a snapshot and every difference found; never raises for what a file holds.

    Runs are read one at a time: memory grows with one line a run, not with the artifacts.
    """
    return SnapshotCheck(Files(directory)).run().verification


@dataclass(frozen=True, kw_only=True, slots=True)
class Checked:
    """A verification with what a later look at the same files can use: the index and the log, where they could be
    read."""

    verification: Verification
    index: Index | None = None
    book: LogBook | None = field(default=None, repr=False)


class SnapshotCheck:
    """One verification of the snapshot in some files.

    `keys` and `expected_checkpoint` are what the reader brought along; see `log_differences`. With a pool, batches are
    checked there, and the findings are the same.
    """

    def __init__(
        self,
        files: Files,
        *,
        keys: Sequence[VerifierKey] = (),
        expected_checkpoint: bytes | None = None,
        pool: Executor | None = None,
        progress: Progress = lambda done, of: None,
    ) -> None:
        self._files = files
        self._keys = keys
        self._expected_checkpoint = expected_checkpoint
        self._pool = pool
        self._progress = progress
        self._found: list[Difference] = []
        self._reports = self._runs = self._assertions = self._unobserved = self._withdrawn = 0
        self._read = self._planned = 0
        self._withheld: Counter[str] = Counter()
        self._claimed: Counter[str] = Counter()
        self._past = NO_PAST
        self._parents: dict[str, str] = {}
        self._orphans: list[str] = []
        self._unseen = 0
        self._kinds: dict[str, bool] = {}
        self._ends: dict[str, str] = {}
        self._sealed: set[bytes] = set()

    def run(self) -> Checked:
        """Checks everything, once."""
        index = self._index()
        book = None
        if index is not None:
            book = self._log(index)
            self._planned = sum(entry.runs for entry in index.reports)
            started = self._start(index)
            for entry in index.reports:
                self._found += self._report(entry, book, started.get(entry.batch_id))
            self._found += self._replays(index)
            self._found += index_differences(index, self._kinds, self._ends)
            self._files.report_strays()
        return Checked(verification=self._verification(index, book), index=index, book=book)

    def _verification(self, index: Index | None, book: LogBook | None) -> Verification:
        logged = sum(map(in_log, self._files.present))
        return Verification(
            files=self._files.accounted + (logged if book else 0),
            reports=self._reports,
            runs=self._runs,
            assertions=self._assertions,
            unobserved=self._unobserved,
            withdrawn=self._withdrawn,
            withheld=tuple(sorted(self._withheld.items())),
            claimed=tuple(sorted(self._claimed.items())),
            past=self._past,
            orphans=tuple(self._orphans),
            unseen=self._unseen,
            batches=tuple(entry.batch_id for entry in index.reports) if index else (),
            synthetic=index.synthetic if index else False,
            log=_log_facts(book, self._keys) if book else None,
            differences=_once_each(self._files.differences, self._found),
        )

    def _index(self) -> Index | None:
        self._files.account((INDEX,))
        data = self._files.read(INDEX)
        if data is None:
            return None
        index, faults = read_record(Index, data, INDEX)
        self._found += faults
        return index

    def _log(self, index: Index) -> LogBook | None:
        reading = read_log(self._files.find)
        self._found += log_differences(
            reading,
            self._files.find,
            self._files.present,
            keys=self._keys,
            expected_checkpoint=self._expected_checkpoint,
        )
        if reading.log is None:
            if index.log is not None and not reading.differences:
                self._found.append(index_fault("/log", "names a release log, and there is none"))
            return None
        book = LogBook(reading.log)
        self._found += book.index_differences(index, sha256_hex(self._files.find(INDEX) or b""))
        return book

    def _start(self, index: Index) -> Mapping[str, Elsewhere]:
        if self._pool is None:
            return {}
        where = self._files.directory, self._files.whole, self._files.identity
        ids = dict.fromkeys(entry.batch_id for entry in index.reports)
        try:
            return {batch_id: self._pool.submit(findings_elsewhere, *where, batch_id) for batch_id in ids}
        except BrokenExecutor:
            return {}

    def _report(self, entry: IndexedReport, book: LogBook | None, started: Elsewhere | None) -> Iterator[Difference]:
        file = report_name(entry.batch_id)
        self._files.account((file,))
        data = self._files.read(file)
        if data is None:
            return
        sha256 = sha256_hex(data)
        if sha256 != entry.sha256:
            yield Difference(
                place=file, expected=entry.sha256, observed=sha256, message="sha256 differs from the index"
            )
        report, faults = read_record(Report, data, file)
        yield from faults
        if report is None:
            return
        self._files.account(run_name(line.run_id) for line in report.every_run)
        self._reports += 1
        self._kinds[entry.batch_id] = report.synthetic
        self._ends[entry.batch_id] = report.finished_at
        self._past |= past_of(report)
        if report.replay_of is not None:
            self._parents[entry.batch_id] = report.replay_of
        identity = {"batch_id": report.batch_id, "runs": len(report.every_run)}
        wanted = {"batch_id": entry.batch_id, "runs": entry.runs}
        for difference in compare("the index says otherwise", wanted, identity):
            yield difference.within(file)
        yield from self._account(self._findings(report, file, started))
        if book is not None:
            yield from book.report_differences(report, entry, sha256)

    def _findings(self, report: Report, file: str, started: Elsewhere | None) -> BatchFindings:
        found, sealed = _result(started) or (None, set())
        # where steps stand twice, which of the two is told must not hang on who looked first
        if found is None or not sealed.isdisjoint(self._sealed):
            return batch_findings(report, file, self._files, self._sealed, self._count_run)
        self._sealed |= sealed
        self._files.differences += found.unread
        self._read += len(report.every_run)
        self._progress(self._read, self._planned)
        return found

    def _count_run(self) -> None:
        self._read += 1
        self._progress(self._read, self._planned)

    def _replays(self, index: Index) -> Iterator[Difference]:
        """Each batch that judges answers again against the one that recorded them, both read once more."""
        held = {entry.batch_id for entry in index.reports}
        for batch_id, parent_id in self._parents.items():
            if parent_id not in held:
                self._orphans.append(batch_id)
                continue
            report, parent = (self._held(one) for one in (batch_id, parent_id))
            if report is not None and parent is not None:  # else it was told why it can't be read
                found = replay_findings(report, parent, self._files.find)
                self._unseen += len(found.unknown)
                yield from found.differences

    def _held(self, batch_id: str) -> Report | None:
        data = self._files.find(report_name(batch_id))
        return read_record(Report, data, report_name(batch_id))[0] if data is not None else None

    def _account(self, found: BatchFindings) -> Sequence[Difference]:
        self._runs += found.runs
        self._assertions += found.assertions
        self._unobserved += found.unobserved
        self._withdrawn += found.withdrawn
        self._withheld.update(found.withheld)
        self._claimed.update(found.claimed)
        return found.differences


def _result(started: Elsewhere | None) -> tuple[BatchFindings, set[bytes]] | None:
    """What a worker found; None where none was asked, it died before it was done, or it met another directory."""
    try:
        return started.result() if started else None
    except BrokenExecutor:
        return None


def _once_each(of_files: Sequence[Difference], found: Sequence[Difference]) -> tuple[Difference, ...]:
    """All differences, without those that call a file missing which is there and can't be read."""
    unread = {difference.place for difference in of_files if not difference.message.startswith(MISSING)}
    return tuple(
        difference
        for difference in (*of_files, *found)
        if difference.place not in unread or not difference.message.startswith(MISSING)
    )


def _log_facts(book: LogBook, keys: Sequence[VerifierKey]) -> LogFacts:
    log = book.log
    return LogFacts(
        origin=log.origin,
        size=log.size,
        root=base64_text(log.tree.head(log.size).root),
        releases=len(log.sizes),
        signed=signed_releases(log),
        signers=tuple(
            dict.fromkeys(
                key.name for data in log.checkpoints for key in holding_signers(read_checkpoint(data), keys or log.keys)
            )
        ),
    )
