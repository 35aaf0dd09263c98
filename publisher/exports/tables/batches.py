"""One row a batch."""

from __future__ import annotations

from collections.abc import Iterator

from dataset.canonical import sha256_hex
from publisher.exports.interface import ExportSource
from publisher.exports.tables.interface import Column, Table
from publisher.rendering.snapshot.snapshot import PublishedBatch
from publisher.verification.files import report_name


def published_batches(source: ExportSource) -> Iterator[PublishedBatch]:
    """Every batch, by id."""
    yield from source.snapshot.batches


BATCHES: Table[PublishedBatch] = Table(
    id="batches",
    title="Batches",
    description="One row for each batch, with what it was made from.",
    key=("batch_id",),
    columns=(
        Column(name="batch_id", kind="id", description="The batch.", value=lambda r: r.report.batch_id),
        Column(name="release", kind="integer", description="The release that brought it.", value=lambda r: r.release),
        Column(
            name="synthetic",
            kind="boolean",
            description="Whether any of its models is a script.",
            value=lambda r: r.report.synthetic,
        ),
        Column(
            name="replay_of",
            kind="id",
            description="The batch whose answers it judged again.",
            value=lambda r: r.report.replay_of,
        ),
        Column(
            name="started_at",
            kind="time",
            description="The start of its first run.",
            value=lambda r: r.report.started_at,
        ),
        Column(
            name="finished_at", kind="time", description="The end of its last.", value=lambda r: r.report.finished_at
        ),
        Column(
            name="template_id", kind="id", description="Its template.", value=lambda r: r.report.definition.template.id
        ),
        Column(
            name="template_version",
            kind="integer",
            description="The version of that.",
            value=lambda r: r.report.definition.template.version,
        ),
        Column(
            name="template_title",
            kind="text",
            description="Its title in English.",
            value=lambda r: r.report.definition.template.title.en,
        ),
        Column(
            name="judge_version",
            kind="text",
            description="The judge.",
            value=lambda r: r.report.definition.judge_version,
        ),
        Column(
            name="models",
            kind="integer",
            description="How many models.",
            value=lambda r: len(r.report.definition.models),
        ),
        Column(
            name="cases", kind="integer", description="How many cases.", value=lambda r: len(r.report.definition.cases)
        ),
        Column(
            name="planned",
            kind="integer",
            description="How many runs were promised.",
            value=lambda r: r.report.definition.run_count,
        ),
        Column(
            name="runs",
            kind="integer",
            description="How many are published, those tried again included.",
            value=lambda r: len(r.report.every_run),
        ),
        Column(
            name="withdrawn",
            kind="integer",
            description="How many of these were withdrawn.",
            value=lambda r: len(r.report.withdrawals),
        ),
        Column(
            name="definition_hash",
            kind="id",
            description="The hash of its frozen definition.",
            value=lambda r: r.report.definition_hash,
        ),
        Column(
            name="report_sha256", kind="id", description="sha256 of its report.", value=lambda r: sha256_hex(r.data)
        ),
        Column(
            name="file",
            kind="text",
            description="Its report, from the root of the site.",
            value=lambda r: report_name(r.report.batch_id),
        ),
    ),
    records=published_batches,
)
