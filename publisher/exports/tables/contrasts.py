"""One row a contrast of two arms, for each model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dataset.measures.contrast import ContrastMeasures
from dataset.questions.template import variants_of
from publisher.exports.interface import ExportSource
from publisher.exports.tables.interface import Column, Table
from publisher.rendering.snapshot.snapshot import PublishedBatch


@dataclass(frozen=True, kw_only=True, slots=True)
class BatchContrast:
    """A contrast with its batch, and its title there."""

    batch: PublishedBatch
    measures: ContrastMeasures
    title: str | None


def batch_contrasts(source: ExportSource) -> Iterator[BatchContrast]:
    """Every contrast, by batch and then in the order of its report."""
    for batch in source.snapshot.batches:
        titles = {contrast.id: contrast.title.en for contrast in batch.report.definition.template.contrasts}
        for measures in batch.report.contrasts:
            yield BatchContrast(batch=batch, measures=measures, title=titles.get(measures.id))


_COUNTS = {
    "pairs": "Pairs of runs of the same case and repeat that are valid in both arms.",
    "both_passed": "Pairs of which both passed.",
    "only_baseline": "Pairs of which only the baseline passed.",
    "only_treatment": "Pairs of which only the treatment passed.",
    "neither": "Pairs of which none passed.",
}
_DIFFERENCES = {
    "difference": "Pass rate of the treatment minus that of the baseline over the pairs; empty below ten of them.",
    "difference_low": "Lower end of its 95 % interval (adjusted Wald for matched pairs).",
    "difference_high": "Upper end of it.",
}


def _count(name: str, description: str) -> Column[BatchContrast]:
    return Column(name=name, kind="integer", description=description, value=lambda r: int(getattr(r.measures, name)))


def _difference(name: str, description: str) -> Column[BatchContrast]:
    def value(record: BatchContrast) -> str | None:
        found: str | None = getattr(record.measures, name)
        return found

    return Column(name=name, kind="decimal", description=description, value=value)


CONTRASTS: Table[BatchContrast] = Table(
    id="contrasts",
    title="Contrasts",
    description="One row for each comparison of two arms of a batch, and each model.",
    key=("batch_id", "contrast_id", "model_key"),
    columns=(
        Column(name="batch_id", kind="id", description="The batch.", value=lambda r: r.batch.report.batch_id),
        Column(
            name="release", kind="integer", description="The release that brought it.", value=lambda r: r.batch.release
        ),
        Column(name="contrast_id", kind="id", description="The contrast.", value=lambda r: r.measures.id),
        Column(name="title", kind="text", description="Its title.", value=lambda r: r.title),
        Column(name="model_key", kind="id", description="The model.", value=lambda r: r.measures.model_key),
        Column(
            name="baseline",
            kind="list",
            description="The variants of the one arm.",
            value=lambda r: variants_of(r.measures.baseline),
        ),
        Column(
            name="treatment",
            kind="list",
            description="Those of the other, each in the place of its counterpart.",
            value=lambda r: variants_of(r.measures.treatment),
        ),
        *(_count(name, description) for name, description in _COUNTS.items()),
        *(_difference(name, description) for name, description in _DIFFERENCES.items()),
    ),
    records=batch_contrasts,
)
