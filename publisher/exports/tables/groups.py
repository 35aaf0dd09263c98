"""One row a model and variant of every batch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from publisher.exports.interface import ExportSource
from publisher.exports.tables.interface import Column, Table
from publisher.exports.tables.measures import measure_columns
from publisher.projection.report import GroupReport
from publisher.rendering.snapshot.snapshot import PublishedBatch


@dataclass(frozen=True, kw_only=True, slots=True)
class BatchGroup:
    """A group with its batch."""

    batch: PublishedBatch
    group: GroupReport


def batch_groups(source: ExportSource) -> Iterator[BatchGroup]:
    """Every group, by batch and then in the order of its report."""
    for batch in source.snapshot.batches:
        for group in batch.report.groups:
            yield BatchGroup(batch=batch, group=group)


GROUPS: Table[BatchGroup] = Table(
    id="groups",
    title="Groups",
    description="One row for each model × variant of each batch, withdrawn batches included.",
    key=("batch_id", "model_key", "variant_id"),
    columns=(
        Column(name="batch_id", kind="id", description="The batch.", value=lambda r: r.batch.report.batch_id),
        Column(
            name="release",
            kind="integer",
            description="The release that brought the batch.",
            value=lambda r: r.batch.release,
        ),
        Column(
            name="batch_withdrawn",
            kind="boolean",
            description="Whether every run of the batch was withdrawn.",
            value=lambda r: r.batch.withdrawn,
        ),
        Column(name="model_key", kind="id", description="The model.", value=lambda r: r.group.model_key),
        Column(name="variant_id", kind="id", description="The variant.", value=lambda r: r.group.variant_id),
        *measure_columns(lambda r: r.group.measures),
    ),
    records=batch_groups,
)
