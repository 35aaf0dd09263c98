"""The index of a snapshot: which reports it holds, by hash. Every other file is reached from here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
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


def next_index(
    previous: Index | None,
    added: Sequence[NewReport],
    *,
    revised: Mapping[BatchId, str] = MappingProxyType({}),
    log: str | None = None,
) -> Index:
    """The index after one more release, which adds reports or revises some: `revised` has the sha256 of each new file.
    The first release adds one at least. `log` is the origin of the release log. What stood before stays as it was."""
    number = len(previous.releases) + 1 if previous else 1
    before = previous.releases if previous else ()
    ends = [report.finished_at for report in added] or [before[-1].published_at]
    release = Release(
        number=number,
        published_at=max(ends),
        batches=tuple(sorted(report.batch_id for report in added)),
        revised=tuple(sorted(revised)),
    )
    standing = [
        entry.model_copy(update={"sha256": revised[entry.batch_id]}) if entry.batch_id in revised else entry
        for entry in (previous.reports if previous else ())
    ]
    entries = [
        IndexedReport(batch_id=report.batch_id, sha256=report.sha256, runs=report.runs, release=number)
        for report in added
    ]
    return Index(
        synthetic=previous.synthetic if previous else any(report.synthetic for report in added),
        releases=(*before, release),
        reports=tuple(sorted([*standing, *entries], key=lambda entry: entry.batch_id)),
        log=log,
    )


def index_at(index: Index, number: int) -> Index:
    """The index that release `number` wrote, where no report was revised since and there was no log: how the earlier
    releases of a snapshot are told when its log begins."""
    return index.model_copy(
        update={
            "releases": index.releases[:number],
            "reports": tuple(entry for entry in index.reports if entry.release <= number),
            "log": None,
        }
    )
