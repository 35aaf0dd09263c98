"""The index of a snapshot: which reports it holds, by hash. Every other file is reached from here."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from dataset.artifacts.artifact import Count
from dataset.record import BatchId, Record, Sha256, Slug, UtcTime

INDEX_SCHEMA = "glassbench.index/1"


class IndexedReport(Record):
    """One report file: its sha256, how many run files it names, and the release that brought it."""

    batch_id: BatchId
    sha256: Sha256
    runs: Count
    release: Count


class Release(Record):
    """One act of publishing: the batches it added. `published_at` is the end of its last run, not a clock's word."""

    number: Count
    published_at: UtcTime
    batches: tuple[Slug, ...]


class Index(Record):
    """`index.json`, in canonical bytes. Reports are sorted by batch id."""

    schema_: Literal["glassbench.index/1"] = Field(alias="schema", default="glassbench.index/1")
    synthetic: bool
    releases: tuple[Release, ...]
    reports: tuple[IndexedReport, ...]
