"""One row a reason that runs of a group failed or were invalid for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from publisher.exports.interface import ExportSource
from publisher.exports.tables.groups import BatchGroup, batch_groups
from publisher.exports.tables.interface import Column, Table


@dataclass(frozen=True, kw_only=True, slots=True)
class GroupReason:
    """One reason in one group."""

    group: BatchGroup
    verdict: str
    reason: str
    runs: int


def group_reasons(source: ExportSource) -> Iterator[GroupReason]:
    """Every reason, by group; those of failed runs first."""
    for found in batch_groups(source):
        measures = found.group.measures
        for verdict, reasons in (("fail", measures.failure_reasons), ("invalid", measures.invalid_reasons)):
            for reason, runs in reasons.items():
                yield GroupReason(group=found, verdict=verdict, reason=reason, runs=runs)


FAILURE_REASONS: Table[GroupReason] = Table(
    id="failure-reasons",
    title="Failure reasons",
    description="One row for each kind of reason that runs of a model × variant failed or were invalid for. A run that "
    "failed for several counts in each.",
    key=("batch_id", "model_key", "variant_id", "verdict", "reason"),
    columns=(
        Column(name="batch_id", kind="id", description="The batch.", value=lambda r: r.group.batch.report.batch_id),
        Column(name="model_key", kind="id", description="The model.", value=lambda r: r.group.group.model_key),
        Column(name="variant_id", kind="id", description="The variant.", value=lambda r: r.group.group.variant_id),
        Column(name="verdict", kind="id", description="fail or invalid.", value=lambda r: r.verdict),
        Column(
            name="reason",
            kind="text",
            description="The kind of assertion that failed, or why runs are invalid.",
            value=lambda r: r.reason,
        ),
        Column(name="runs", kind="integer", description="How many runs.", value=lambda r: r.runs),
    ),
    records=group_reasons,
)
