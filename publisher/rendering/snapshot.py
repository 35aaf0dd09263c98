"""The snapshot as the pages see it: every report in memory, one run at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from dataset.artifacts.artifact import Artifact
from dataset.artifacts.digest import ArtifactError, open_artifact
from dataset.canonical import sha256_hex
from dataset.measures.metric import METRIC_BY_ID, is_measured
from dataset.measures.run_facts import RunFacts, facts_of
from dataset.questions.template import variants_of
from publisher.projection.index import Index, IndexedReport
from publisher.projection.report import Report
from publisher.rendering.errors import SnapshotError
from publisher.verification.document import read_record
from publisher.verification.files import INDEX, Files, report_name, run_name

_R = TypeVar("_R", Index, Report)
_SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")


@dataclass(frozen=True, kw_only=True, slots=True)
class PublishedBatch:
    """A report with its file's bytes and the release that brought it."""

    report: Report
    release: int
    data: bytes = field(repr=False)


class Snapshot:
    """A snapshot directory, read without following links. Every reader raises SnapshotError, naming the file."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._files = Files(directory)
        self.index_data = self._bytes(INDEX)
        self.index: Index = self._record(Index, self.index_data, INDEX)
        self.batches = tuple(self._batch(entry) for entry in self.index.reports)
        self._require_each_run_once()

    @property
    def synthetic(self) -> bool:
        """Whether any run in it was made with a scripted model."""
        return self.index.synthetic or any(batch.report.synthetic for batch in self.batches)

    def run(self, batch: PublishedBatch, facts: RunFacts) -> tuple[Artifact, bytes]:
        """The artifact behind one line of a report, every digest recomputed, and the bytes of its file."""
        name = run_name(facts.run_id)
        data = self._bytes(name)
        try:
            artifact = open_artifact(data, name=facts.run_id)
        except ArtifactError as error:
            raise self._broken(name, "; ".join(error.faults)) from error
        if facts_of(artifact) != facts or artifact.provenance.batch_id != batch.report.batch_id:
            raise self._broken(name, "not the artifact that its report tells of")
        return artifact, data

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
