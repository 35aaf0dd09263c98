"""The few facts of a run that every table is computed from."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Any

from dataset.artifacts.artifact import SECTION_NAMES, Artifact, ContextSection, Cost, Count, Usage, Verdict
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
    return RunFacts(**shown_facts(artifact, SECTION_NAMES))


def shown_facts(artifact: Artifact, shown: Collection[str]) -> dict[str, Any]:
    """The facts that follow from the sections that are shown, by field; all of them where all sections are."""
    facts: dict[str, Any] = {
        "run_id": artifact.run_id,
        "artifact_hash": artifact.artifact_hash,
        "model_key": artifact.provenance.model.key,
        "supersedes": artifact.provenance.supersedes,
    }
    for section, names in _COPIED.items():
        if section in shown:
            record = getattr(artifact, section)
            facts |= {name: getattr(record, name) for name in names}
    if "context" in shown:
        facts |= _context_facts(artifact.context)
    if "result" in shown:
        facts |= _usage_facts(artifact, shown)
    return facts


_COPIED = {
    "case": ("case_id", "variant_id", "repeat"),
    "judgment": ("verdict", "failure_reasons", "invalid_reason"),
    "result": ("corrections", "model_steps", "tool_calls", "refused_calls", "latency_ms", "cost"),
}


def _context_facts(context: ContextSection) -> dict[str, Any]:
    budgeted = context.opening_budget is not None
    opened = budgeted and any(item.decision != "omitted" for item in context.items)
    return {
        "original_tokens": context.original_tokens if budgeted else None,
        "working_tokens": context.working_tokens if opened else None,
    }


def _usage_facts(artifact: Artifact, shown: Collection[str]) -> dict[str, Any]:
    usage = artifact.result.usage
    if artifact.result.status == "context_failed":
        if "context" not in shown or "steps" not in shown:
            return {}
        if artifact.context.opening_budget is not None and not artifact.steps:
            usage = Usage(input_tokens=0, output_tokens=0)  # its context failed before any question
    return {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens}


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
