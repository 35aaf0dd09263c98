"""The index of a snapshot: which reports it holds, by hash. Every other file is reached from here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from dataset.artifacts.artifact import Count
from dataset.record import ABSENT, ABSENT_EMPTY, SLUG, BatchId, Record, Sha256, Slug, UtcTime


class IndexedReport(Record):
    """One report file: its sha256, how many run files it names, and the release that brought it."""

    batch_id: Annotated[BatchId, SLUG]
    sha256: Sha256
    runs: Count
    release: Count


class Release(Record):
    """One act of publishing: the batches it added, and those it revised. `published_at` is the end of its last run, not
    a clock's word; where it added none, that of the release before."""

    number: Count
    published_at: UtcTime
    batches: tuple[Slug, ...]
    revised: Annotated[tuple[Slug, ...], ABSENT_EMPTY] = ()
    """Batches of earlier releases whose report it changed: runs were withdrawn, or what was withheld revealed."""


class Index(Record):
    """`index.json`, in canonical bytes. Reports are sorted by batch id."""

    schema_: Literal["glassbench.index/1"] = Field(alias="schema", default="glassbench.index/1")
    synthetic: bool
    releases: tuple[Release, ...]
    reports: tuple[IndexedReport, ...]
    log: Annotated[str | None, ABSENT] = None
    """The origin of the release log; null in a snapshot from before there was one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class NewReport:
    """A report that a release adds: its batch, the sha256 of its file, and what the index says of it."""

    batch_id: BatchId
    sha256: str
    runs: int
    synthetic: bool
    finished_at: UtcTime


def next_index(previous: Index | None, added: Sequence[NewReport]) -> Index:
    """The index after one more release, which adds at least one report. What stood in it before stays as it was."""
    number = len(previous.releases) + 1 if previous else 1
    release = Release(
        number=number,
        published_at=max(report.finished_at for report in added),
        batches=tuple(sorted(report.batch_id for report in added)),
    )
    entries = [
        IndexedReport(batch_id=report.batch_id, sha256=report.sha256, runs=report.runs, release=number)
        for report in added
    ]
    return Index(
        synthetic=any(report.synthetic for report in added),
        releases=(*(previous.releases if previous else ()), release),
        reports=tuple(sorted([*(previous.reports if previous else ()), *entries], key=lambda entry: entry.batch_id)),
    )
