"""From the end of a loop to the result section: the guarded answer, totals, and cost where it is known."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Literal

from dataset.artifacts.artifact import (
    CorrectionRecord,
    Cost,
    GroundingRecord,
    GuardrailCheck,
    ResultSection,
    Usage,
)
from dataset.artifacts.definition import FrozenModel, Price
from dataset.artifacts.outside_text import keep, shown
from dataset.canonical import sha256_hex
from engine.agent.loop import LoopEnd
from engine.agent.setup import RunSetup
from engine.agent.timeline import Timeline
from engine.guardrails.chain import OutputGuardrails
from engine.guardrails.interface import AnswerContext, Evidence, GuardOutcome

PER_MILLION = Decimal(1_000_000)


def guard_answer(end: LoopEnd, setup: RunSetup, timeline: Timeline, guardrails: OutputGuardrails) -> str:
    """The answer after the output guardrails, each verdict recorded; the empty string where there is none."""
    if not end.answer or not end.answer.strip():
        return ""
    evidence = tuple(
        Evidence(step=step.step, tool=shown(step.tool), text=shown(step.result))
        for step in timeline.tool_steps
        if step.outcome == "executed"
    )
    context = AnswerContext(
        locale=setup.variant.locale, question=setup.question.text.to(setup.variant.locale), tool_results=evidence
    )
    guarded = guardrails.apply(shown(keep(end.answer)), context)
    for outcome in guarded.outcomes:
        timeline.check(_response_check(outcome, step=len(timeline.steps) - 1))
    return guarded.text


def build_result(end: LoopEnd, timeline: Timeline, final_output: str, model: FrozenModel) -> ResultSection:
    """The result section. Unknown usage or price leaves the cost null with its reason, never 0."""
    steps = timeline.model_steps
    usage = total_usage([step.usage for step in steps if step.error is None])
    cost, cost_reason = cost_of(usage, model.price, broken=any(step.error for step in steps))
    responses = [check for check in timeline.checks if check.point == "response"]
    return ResultSection(
        status=end.status,
        stop_reason=end.stop_reason,
        answer_outcome=_answer_outcome(end, final_output),
        final_output=final_output,
        raw_output_sha256=sha256_hex((end.answer or "").encode("utf-8", "surrogatepass")),
        corrections=sum(len(check.corrections) for check in responses),
        model_steps=sum(1 for step in steps if step.error is None),
        tool_calls=len(timeline.tool_steps),
        refused_calls=sum(1 for step in timeline.tool_steps if step.outcome == "refused"),
        usage=usage,
        cost=cost,
        cost_reason=cost_reason,
        latency_ms=sum(step.latency_ms for step in steps),
        error=end.error,
    )


def total_usage(usages: Sequence[Usage]) -> Usage:
    """The sum over model steps; a count that any step lacks is unknown for the run."""

    def total(name: str) -> int | None:
        values = [getattr(usage, name) for usage in usages]
        return None if not values or None in values else sum(values)

    return Usage(**{name: total(name) for name in Usage.model_fields})


def cost_of(usage: Usage, price: Price | None, *, broken: bool) -> tuple[Cost | None, str | None]:
    """The cost at a price per million tokens, or the reason why it isn't known."""
    if price is None:
        return None, "no price in the model registry"
    if broken:
        return None, "a call failed, so its usage is unknown"
    if usage.input_tokens is None or usage.output_tokens is None:
        return None, "the provider reported no usage"
    amount = (
        usage.input_tokens * Decimal(price.input_per_million) + usage.output_tokens * Decimal(price.output_per_million)
    ) / PER_MILLION
    return Cost(amount=format(amount.normalize() + 0, "f"), currency=price.currency), None


def _answer_outcome(end: LoopEnd, final_output: str) -> Literal["answered", "empty", "none"]:
    if end.answer is None:
        return "none"
    return "answered" if final_output.strip() else "empty"


def _response_check(outcome: GuardOutcome, *, step: int) -> GuardrailCheck:
    return GuardrailCheck(
        point="response",
        step=step,
        call_id=None,
        guard=outcome.guard,
        verdict=outcome.verdict,
        code=outcome.code,
        detail=f"{len(outcome.corrections)} corrections, {len(outcome.groundings)} numbers grounded",
        corrections=tuple(
            CorrectionRecord(original=c.original, replacement=c.replacement, reason=c.reason)
            for c in outcome.corrections
        ),
        groundings=tuple(
            GroundingRecord(number=g.number, source=g.source, source_text=g.source_text) for g in outcome.groundings
        ),
    )
