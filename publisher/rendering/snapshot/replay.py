"""Where the answers of a replayed batch come from, so that no page shows them as fresh ones."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

from dataset.record import BatchId
from publisher.projection.report import Report


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """The batch that recorded the answers; `published` says whether it has a page in the same site."""

    batch_id: BatchId
    published: bool


def source_of(report: Report, published: Container[str]) -> Source | None:
    """The batch that a report's answers were replayed from; None where its models were asked."""
    found = report.replay_of
    return None if found is None else Source(batch_id=found, published=found in published)
