"""One row a published run, those that were tried again included."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from dataset.measures.run_facts import RunFacts
from publisher.exports.interface import ExportSource
from publisher.exports.tables.interface import Cell, Column, Table
from publisher.projection.report import Withdrawal
from publisher.rendering.snapshot.snapshot import PublishedBatch
from publisher.verification.files import run_name


@dataclass(frozen=True, kw_only=True, slots=True)
class BatchRun:
    """A run with its batch. `counts` is False where it was tried again."""

    batch: PublishedBatch
    facts: RunFacts
    counts: bool

    @property
    def withdrawal(self) -> Withdrawal | None:
        """What withdrew it."""
        return self.batch.report.withdrawn.get(self.facts.run_id)


def batch_runs(source: ExportSource) -> Iterator[BatchRun]:
    """Every run, by batch and then in the order of its report."""
    for batch in source.snapshot.batches:
        for runs, counts in ((batch.report.runs, True), (batch.report.superseded, False)):
            for facts in runs:
                yield BatchRun(batch=batch, facts=facts, counts=counts)


def _recorded(name: str) -> Callable[[BatchRun], Cell]:
    """What a run recorded: nothing of a withdrawn one, whose line holds zeros in its place."""

    def value(run: BatchRun) -> Cell:
        found: Cell = getattr(run.facts, name)
        return None if run.withdrawal is not None else found

    return value


_RECORDED = {
    "corrections": "Changes that guardrails made to its answer.",
    "model_steps": "Times that the model was asked.",
    "tool_calls": "Tool calls that it made.",
    "refused_calls": "Those of them that governance denied.",
    "latency_ms": "Milliseconds from start to end.",
    "input_tokens": "Tokens that the provider counted as input.",
    "output_tokens": "Tokens that it counted as output.",
    "original_tokens": "Tokens of the opening with every item whole; empty where it had no budget.",
    "working_tokens": "Tokens of the opening as the model saw it.",
}

RUNS: Table[BatchRun] = Table(
    id="runs",
    title="Runs",
    description="One row for each published run. A withdrawn one stays, with its reason and without what it recorded.",
    key=("run_id",),
    columns=(
        Column(name="run_id", kind="id", description="The run.", value=lambda r: r.facts.run_id),
        Column(name="batch_id", kind="id", description="Its batch.", value=lambda r: r.batch.report.batch_id),
        Column(
            name="release", kind="integer", description="The release that brought it.", value=lambda r: r.batch.release
        ),
        Column(name="model_key", kind="id", description="The model.", value=lambda r: r.facts.model_key),
        Column(name="case_id", kind="id", description="The case.", value=lambda r: r.facts.case_id),
        Column(name="variant_id", kind="id", description="The variant.", value=lambda r: r.facts.variant_id),
        Column(
            name="repeat", kind="integer", description="Which repeat it is, from 1.", value=lambda r: r.facts.repeat
        ),
        Column(
            name="counts",
            kind="boolean",
            description="Whether it counts; false where it was tried again.",
            value=lambda r: r.counts,
        ),
        Column(
            name="supersedes",
            kind="id",
            description="The run that it took the place of.",
            value=lambda r: r.facts.supersedes,
        ),
        Column(name="verdict", kind="id", description="pass, fail or invalid.", value=lambda r: r.facts.verdict),
        Column(
            name="failure_reasons",
            kind="list",
            description="The assertions that failed; only their kinds where the judgment is withheld.",
            value=lambda r: r.facts.failure_reasons,
        ),
        Column(
            name="invalid_reason",
            kind="text",
            description="Why it is invalid; `withdrawn` where it was withdrawn.",
            value=lambda r: r.facts.invalid_reason,
        ),
        *(
            Column(name=name, kind="integer", description=description, value=_recorded(name))
            for name, description in _RECORDED.items()
        ),
        Column(
            name="cost",
            kind="decimal",
            description="What it cost; empty where that is unknown.",
            value=lambda r: r.facts.cost.amount if r.facts.cost else None,
        ),
        Column(
            name="cost_currency",
            kind="text",
            description="The currency of `cost`.",
            value=lambda r: r.facts.cost.currency if r.facts.cost else None,
        ),
        Column(
            name="withheld",
            kind="list",
            description="Parts of it that are withheld. What a row says of them is a claim that their digests fix.",
            value=lambda r: r.batch.report.withheld(r.facts.case_id),
        ),
        Column(
            name="withdrawn_in",
            kind="integer",
            description="The release that withdrew it.",
            value=lambda r: r.withdrawal.release if r.withdrawal else None,
        ),
        Column(
            name="withdrawal_reason",
            kind="text",
            description="Why, in the owner's words.",
            value=lambda r: r.withdrawal.reason if r.withdrawal else None,
        ),
        Column(
            name="artifact_hash",
            kind="id",
            description="The hash of its artifact, which never changes.",
            value=lambda r: r.facts.artifact_hash,
        ),
        Column(
            name="file",
            kind="text",
            description="Its file, from the root of the site.",
            value=lambda r: run_name(r.facts.run_id),
        ),
    ),
    records=batch_runs,
)
