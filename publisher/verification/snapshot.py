"""`verify`: a whole snapshot, from its files alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from dataset.canonical import sha256_hex
from publisher.projection.index import Index, IndexedReport
from publisher.projection.report import Report
from publisher.verification.batch import BatchCheck
from publisher.verification.difference import Difference, Verification, compare
from publisher.verification.document import read_record
from publisher.verification.files import INDEX, Files, report_name, run_name


def verify(directory: Path) -> Verification:
    """What was checked in a snapshot and every difference found; never raises for what a file holds.

    Runs are read one at a time: memory grows with one line a run, not with the artifacts.
    """
    return _SnapshotCheck(directory).run()


class _SnapshotCheck:
    def __init__(self, directory: Path) -> None:
        self._files = Files(directory)
        self._found: list[Difference] = []
        self._expected = {INDEX}
        self._reports = self._runs = self._assertions = 0
        self._kinds: dict[str, bool] = {}
        self._ends: dict[str, str] = {}
        self._sealed: set[bytes] = set()

    def run(self) -> Verification:
        index = self._index()
        if index is not None:
            for entry in index.reports:
                self._found += self._report(entry)
            self._found += _index_differences(index, self._kinds, self._ends)
            self._files.report_strays(self._expected)
        return Verification(
            files=len(self._files.present & self._expected),
            reports=self._reports,
            runs=self._runs,
            assertions=self._assertions,
            batches=tuple(entry.batch_id for entry in index.reports) if index else (),
            synthetic=index.synthetic if index else False,
            differences=(*self._files.differences, *self._found),
        )

    def _index(self) -> Index | None:
        data = self._files.read(INDEX)
        if data is None:
            return None
        index, faults = read_record(Index, data, INDEX)
        self._found += faults
        return index

    def _report(self, entry: IndexedReport) -> Iterator[Difference]:
        file = report_name(entry.batch_id)
        self._expected.add(file)
        data = self._files.read(file)
        if data is None:
            return
        if sha256_hex(data) != entry.sha256:
            yield Difference(
                place=file, expected=entry.sha256, observed=sha256_hex(data), message="sha256 differs from the index"
            )
        report, faults = read_record(Report, data, file)
        yield from faults
        if report is None:
            return
        self._expected |= {run_name(line.run_id) for line in report.every_run}
        self._reports += 1
        self._kinds[entry.batch_id] = report.synthetic
        self._ends[entry.batch_id] = report.finished_at
        identity = {"batch_id": report.batch_id, "runs": len(report.every_run)}
        wanted = {"batch_id": entry.batch_id, "runs": entry.runs}
        for difference in compare("the index says otherwise", wanted, identity):
            yield difference.within(file)
        batch = BatchCheck(report, file, self._files.read, self._sealed)
        try:
            yield from batch.differences()
        except Exception as error:  # the last net: nothing that a file holds may stop a verification
            message = f"can't be checked to its end: {type(error).__name__}"
            yield Difference(place=file, expected="", observed="", message=message)
        self._runs += batch.runs
        self._assertions += batch.assertions


def _index_differences(index: Index, kinds: Mapping[str, bool], ends: Mapping[str, str]) -> Iterator[Difference]:
    if not index.reports:
        yield _index_fault("/reports", "names no report, so there is nothing to hold")
    named = [entry.batch_id for entry in index.reports]
    if named != sorted(set(named)):
        yield _index_fault("/reports", "not sorted by batch id, each once")
    if [release.number for release in index.releases] != list(range(1, len(index.releases) + 1)):
        yield _index_fault("/releases", "not numbered from 1")
    brought = [(batch, release.number) for release in index.releases for batch in release.batches]
    for difference in compare(
        "releases don't cover every report once",
        sorted([entry.batch_id, entry.release] for entry in index.reports),
        sorted([batch, number] for batch, number in brought),
    ):
        yield difference.within_pointer("/releases").within(INDEX)
    for position, release in enumerate(index.releases):
        known = [ends[batch] for batch in release.batches if batch in ends]
        if known and len(known) == len(release.batches) and release.published_at != max(known):
            yield Difference(
                place=f"{INDEX}#/releases/{position}/published_at",
                expected=max(known),
                observed=release.published_at,
                message="not the end of its last run",
            )
        if not release.batches or list(release.batches) != sorted(release.batches):
            yield _index_fault(f"/releases/{position}/batches", "empty, or not sorted")
    if len(set(kinds.values())) > 1:
        yield _index_fault("/reports", "synthetic and real runs in one snapshot")
    for difference in compare("not what its reports say", any(kinds.values()), index.synthetic):
        yield difference.within_pointer("/synthetic").within(INDEX)


def _index_fault(pointer: str, message: str) -> Difference:
    return Difference(place=f"{INDEX}#{pointer}", expected="", observed="", message=message)
