"""The snapshot as the pages see it: every report in memory, one run at a time."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from dataset.artifacts.digest import ArtifactError
from dataset.artifacts.disclosure import Disclosed
from dataset.artifacts.withdrawn import Withdrawn
from dataset.canonical import sha256_hex
from dataset.measures.metric import METRIC_BY_ID, is_measured
from dataset.measures.run_facts import WITHDRAWN, RunFacts
from dataset.questions.template import variants_of
from publisher.projection.index import Index, IndexedReport
from publisher.projection.report import Report
from publisher.release_log.errors import MalformedError
from publisher.release_log.files import log_files
from publisher.release_log.reading import read_log
from publisher.rendering.errors import SnapshotError
from publisher.rendering.snapshot.log import LogView, log_view
from publisher.rendering.snapshot.opened_runs import OpenedRun, OpenedRuns
from publisher.rendering.snapshot.published_run import open_run
from publisher.verification.document import read_record
from publisher.verification.files import INDEX, LOG_FOLDER, Files, report_name, run_name

_R = TypeVar("_R", Index, Report)
_SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")


@dataclass(frozen=True, kw_only=True, slots=True)
class PublishedBatch:
    """A report with its file's bytes and the release that brought it."""

    report: Report
    release: int
    data: bytes = field(repr=False)

    @property
    def withdrawn(self) -> bool:
        """Whether every run of it was withdrawn."""
        return all(run.run_id in self.report.withdrawn for run in self.report.every_run)


class Snapshot:
    """A snapshot directory, read without following links. Every reader raises SnapshotError, naming the file."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._files = Files(directory)
        self._opened = OpenedRuns()
        self.index_data = self._bytes(INDEX)
        self.index: Index = self._record(Index, self.index_data, INDEX)
        self.batches = tuple(self._batch(entry) for entry in self.index.reports)
        self._require_each_run_once()
        self.log: LogView | None = self._log()

    @property
    def synthetic(self) -> bool:
        """Whether any run in it was made with a scripted model."""
        return self.index.synthetic or any(batch.report.synthetic for batch in self.batches)

    def run(self, batch: PublishedBatch, facts: RunFacts) -> tuple[Disclosed | Withdrawn, bytes]:
        """What the file behind one line of a report holds, every digest recomputed, and its bytes. A run that was among
        the last is as it was opened then."""
        run = self._opened.find(batch.report, facts)
        if run is None:
            run = self._open(batch.report, facts)
            self._opened.keep(run)
        return run.found, run.data

    def _open(self, report: Report, facts: RunFacts) -> OpenedRun:
        name = run_name(facts.run_id)
        data = self._bytes(name)
        try:
            return OpenedRun(report=report, facts=facts, found=open_run(data, report, facts), data=data)
        except ArtifactError as error:
            raise self._broken(name, "; ".join(error.faults)) from error

    def file(self, name: str) -> bytes:
        """The bytes of one of its files, by name."""
        return self._bytes(name)

    def log_files(self) -> Iterator[tuple[str, bytes]]:
        """Every file of the release log by its name, as it stands; none where there is no log."""
        for name, made in log_files(self.log.log) if self.log else ():
            data = self._bytes(name)
            if data != made:
                raise self._broken(name, "it doesn't follow from the entries of the log")
            yield name, data

    def _log(self) -> LogView | None:
        reading = read_log(self._logged)
        for difference in reading.differences:
            raise SnapshotError(f"{self._directory}: {difference}", snapshot=str(self._directory))
        if reading.log is None:
            if self.index.log is not None:
                raise self._broken(LOG_FOLDER, "the index names a log, and there is none")
            return None
        try:
            view = log_view(reading.log)
        except MalformedError as error:
            raise self._broken(LOG_FOLDER, error.message) from error
        if view.origin != self.index.log or len(view.releases) != len(self.index.releases):
            raise self._broken(LOG_FOLDER, "not the log that the index tells of")
        self._require_each_run_logged(view)
        return view

    def _require_each_run_logged(self, view: LogView) -> None:
        for batch in self.batches:
            for run in batch.report.every_run:
                place = view.places.get(run.run_id)
                if place is None or place.artifact_hash != run.artifact_hash:
                    raise self._broken(LOG_FOLDER, f"run {run.run_id} doesn't stand in it with the hash of its report")

    def _logged(self, name: str) -> bytes | None:
        return self._files.read(name) if name in self._files.present else None

    def _batch(self, entry: IndexedReport) -> PublishedBatch:
        name = report_name(entry.batch_id)
        data = self._bytes(name)
        if sha256_hex(data) != entry.sha256:
            raise self._broken(name, "its sha256 isn't the one in the index")
        report = self._record(Report, data, name)
        if report.batch_id != entry.batch_id:
            raise self._broken(name, f"it is the report of {report.batch_id}")
        for fault in _loose_ends(report):
            raise self._broken(name, fault)
        return PublishedBatch(report=report, release=entry.release, data=data)

    def _require_each_run_once(self) -> None:
        seen: set[str] = set()
        for batch in self.batches:
            for run in batch.report.every_run:
                if run.run_id in seen:
                    raise self._broken(report_name(batch.report.batch_id), f"run {run.run_id} stands in it twice")
                seen.add(run.run_id)

    def _record(self, kind: type[_R], data: bytes, name: str) -> _R:
        record, faults = read_record(kind, data, name)
        if record is None:
            raise SnapshotError(f"{self._directory}: {faults[0]}", snapshot=str(self._directory))
        return record

    def _bytes(self, name: str) -> bytes:
        data = self._files.read(name)
        if data is None:
            raise self._broken(name, self._files.differences[-1].message)
        return data

    def _broken(self, name: str, fault: str) -> SnapshotError:
        return SnapshotError(f"{self._directory / name}: {fault}", snapshot=str(self._directory))


def _loose_ends(report: Report) -> Iterator[str]:
    """What a page would stumble over: names that lead nowhere, ids that are no safe file names.

    Whether the numbers are right is for `verify` to say.
    """
    definition = report.definition
    models = {model.key for model in definition.models}
    cases = {case.id for case in definition.cases}
    variants = {variant.id for variant in report.variants}
    contrasts = {contrast.id for contrast in definition.template.contrasts}
    if len(report.cases) != len(cases) or any(
        case.question is not None and case.question.id != case_id for case_id, case in report.cases_by_id.items()
    ):
        yield "its cases aren't those of its definition"
    for run in report.every_run:
        if not _SLUG.fullmatch(run.run_id):
            yield f"run id {run.run_id!r} is no slug"
        if run.model_key not in models or run.case_id not in cases or run.variant_id not in variants:
            yield f"run {run.run_id} names a model, case or variant that the report doesn't hold"
    yield from _loose_marks(report, cases)
    known = {run.run_id for run in report.every_run}
    if any(run.supersedes not in known for run in report.every_run if run.supersedes is not None):
        yield "a run supersedes one that the report doesn't hold"
    if set(report.models) != models or any(
        group.model_key not in models or group.variant_id not in variants for group in report.groups
    ):
        yield "its groups aren't those of its definition"
    if any(
        c.id not in contrasts or not {*variants_of(c.baseline), *variants_of(c.treatment)} <= variants
        for c in report.contrasts
    ):
        yield "its contrasts aren't those of its template"
    if any(c.model_key not in models for c in report.contrasts):
        yield "a contrast of a model that the report doesn't hold"
    measures = [*report.models.values(), *(group.measures for group in report.groups)]
    if any(not is_measured(found.metrics.keys()) for found in measures):
        yield "its metrics aren't the defined ones"
    unknown = [metric for metric in definition.template.metrics if metric not in METRIC_BY_ID]
    if unknown:
        yield f"unknown metric {unknown[0]}"


def _loose_marks(report: Report, cases: Container[str]) -> Iterator[str]:
    """What is told of runs and cases that aren't there, or of a withdrawn run in one place and not in the other."""
    if set(report.withdrawn) != {run.run_id for run in report.every_run if run.invalid_reason == WITHDRAWN}:
        yield "its withdrawals aren't the runs that it marks as withdrawn"
    if any(reveal.case_id not in cases for reveal in report.reveals):
        yield "it reveals parts of a case that it doesn't hold"
    for frozen, case in zip(report.definition.cases, report.cases, strict=False):
        question, gold = case.question, case.gold
        if (question is not None and question.digest() != frozen.hash) or (
            gold is not None and gold.digest() != frozen.gold_hash
        ):
            yield f"the question or gold of case {frozen.id} isn't the one that was frozen"
