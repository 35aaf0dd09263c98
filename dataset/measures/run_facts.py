"""The few facts of a run that every table is computed from."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated

from dataset.artifacts.artifact import Artifact, Cost, Count, Usage, Verdict
from dataset.record import ABSENT, Record, RunId, Sha256, Slug


class RunFacts(Record):
    """One line of a report: everything in it follows from the artifact with this hash."""

    run_id: RunId
    artifact_hash: Sha256
    model_key: Slug
    case_id: Slug
    variant_id: Slug
    repeat: Count
    verdict: Verdict
    failure_reasons: tuple[str, ...]
    invalid_reason: str | None
    corrections: Count
    model_steps: Count
    tool_calls: Count
    refused_calls: Count
    latency_ms: Count
    input_tokens: Count | None
    output_tokens: Count | None
    cost: Cost | None
    supersedes: Annotated[RunId | None, ABSENT] = None
    original_tokens: Annotated[Count | None, ABSENT] = None
    """What the opening would take with every item whole; null in runs from before the opening had a budget."""
    working_tokens: Annotated[Count | None, ABSENT] = None
    """What it took as the model saw it; null besides where no context was opened."""


def facts_of(artifact: Artifact) -> RunFacts:
    """The facts of one artifact."""
    result, judgment, case, context = artifact.result, artifact.judgment, artifact.case, artifact.context
    budgeted = context.opening_budget is not None
    opened = budgeted and any(item.decision != "omitted" for item in context.items)
    usage = Usage(input_tokens=0, output_tokens=0) if budgeted and _asked_nobody(artifact) else result.usage
    return RunFacts(
        run_id=artifact.run_id,
        artifact_hash=artifact.artifact_hash,
        model_key=artifact.provenance.model.key,
        case_id=case.case_id,
        variant_id=case.variant_id,
        repeat=case.repeat,
        verdict=judgment.verdict,
        failure_reasons=judgment.failure_reasons,
        invalid_reason=judgment.invalid_reason,
        corrections=result.corrections,
        model_steps=result.model_steps,
        tool_calls=result.tool_calls,
        refused_calls=result.refused_calls,
        latency_ms=result.latency_ms,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cost=result.cost,
        supersedes=artifact.provenance.supersedes,
        original_tokens=context.original_tokens if budgeted else None,
        working_tokens=context.working_tokens if opened else None,
    )


def _asked_nobody(artifact: Artifact) -> bool:
    """Whether a run used no tokens for certain: its context failed before any question."""
    return artifact.result.status == "context_failed" and not artifact.steps


def reason_kind(reason: str) -> str:
    """The kind of a failed assertion: the first two parts of its id (`answer.number.nav` → `answer.number`)."""
    return ".".join(reason.split(".")[:2])


WITHDRAWN = "withdrawn"
"""Why a withdrawn run is invalid."""


def told(facts: RunFacts, withheld: Collection[str]) -> RunFacts:
    """The line that a report tells of a run whose sections are withheld: where the judgment is, its reasons are told
    by their kind, since the ids of assertions name what the gold asks for."""
    if "judgment" not in withheld:
        return facts
    return facts.model_copy(update={"failure_reasons": tuple(sorted(set(map(reason_kind, facts.failure_reasons))))})


def withdrawn_facts(facts: RunFacts) -> RunFacts:
    """The line of a run that was withdrawn: still planned, and nothing that counts."""
    return RunFacts(
        run_id=facts.run_id,
        artifact_hash=facts.artifact_hash,
        model_key=facts.model_key,
        case_id=facts.case_id,
        variant_id=facts.variant_id,
        repeat=facts.repeat,
        verdict="invalid",
        failure_reasons=(),
        invalid_reason=WITHDRAWN,
        corrections=0,
        model_steps=0,
        tool_calls=0,
        refused_calls=0,
        latency_ms=0,
        input_tokens=None,
        output_tokens=None,
        cost=None,
        supersedes=facts.supersedes,
    )
