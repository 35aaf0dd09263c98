"""From the end of a loop to the result section: the guarded answer, totals, and cost where it is known."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from dataset.artifacts.artifact import (
    CorrectionRecord,
    GroundingRecord,
    GuardrailCheck,
    ResultSection,
)
from dataset.artifacts.definition import FrozenModel
from dataset.artifacts.outside_text import keep, shown
from dataset.canonical import sha256_hex
from dataset.errors import GlassbenchError
from dataset.measures.cost import run_cost, total_usage
from dataset.measures.searches import is_search
from dataset.measures.truncation import is_reply
from dataset.measures.working_text import trusted_texts
from dataset.record import BatchId
from engine.agent.loop import LoopEnd
from engine.agent.setup import RunSetup
from engine.agent.timeline import Timeline
from engine.guardrails.chain import OutputGuardrails
from engine.guardrails.interface import AnswerContext, ContextEvidence, Evidence, GuardOutcome


class GuardrailsBrokenError(GlassbenchError):
    """The output guardrails withheld an answer because they couldn't check it: a fault of ours, never a score."""

    code = "RUN-GUARD-001"


def guard_answer(end: LoopEnd, setup: RunSetup, timeline: Timeline, guardrails: OutputGuardrails) -> str:
    """The answer after the output guardrails, each verdict recorded; the empty string where there is none.

    GuardrailsBrokenError where the chain is empty or one of it broke.
    """
    if not end.answer or not end.answer.strip():
        return ""
    evidence = tuple(
        Evidence(step=step.step, tool=shown(step.tool), text=shown(step.result))
        for step in timeline.tool_steps
        if step.outcome == "executed" and not is_search(step)  # a tool's description is no source of figures
    )
    context = AnswerContext(
        locale=setup.variant.locale,
        question=setup.question.text.to(setup.variant.locale),
        tool_results=evidence,
        session=tuple(ContextEvidence(item=item, text=text) for item, text in trusted_texts(end.context)),
    )
    guarded = guardrails.apply(shown(keep(end.answer)), context)
    for outcome in guarded.outcomes:
        timeline.check(_response_check(outcome, step=len(timeline.steps) - 1))
    for outcome in guarded.outcomes:
        if outcome.verdict == "deny":
            raise GuardrailsBrokenError(outcome.detail, code=outcome.code)
    return guarded.text


def build_result(
    end: LoopEnd, timeline: Timeline, final_output: str, model: FrozenModel, *, replay_of: BatchId | None = None
) -> ResultSection:
    """The result section. Unknown usage or price, and a replay, leave the cost null with its reason, never 0."""
    steps = timeline.model_steps
    given = [step for step in steps if is_reply(step)]
    cost, cost_reason = run_cost(steps, model.price, replay_of=replay_of)
    responses = [check for check in timeline.checks if check.point == "response"]
    return ResultSection(
        status=end.status,
        stop_reason=end.stop_reason,
        answer_outcome=_answer_outcome(end, final_output),
        final_output=final_output,
        raw_output_sha256=sha256_hex((end.answer or "").encode("utf-8", "surrogatepass")),
        corrections=sum(len(check.corrections) for check in responses),
        model_steps=len(given),
        tool_calls=len(timeline.tool_steps),
        refused_calls=sum(1 for step in timeline.tool_steps if step.outcome == "refused"),
        usage=total_usage([step.usage for step in given]),
        cost=cost,
        cost_reason=cost_reason,
        latency_ms=sum(step.latency_ms for step in steps),
        error=end.error,
    )


@lru_cache(maxsize=1024)
def _verdict(
    step: int, guard: str, verdict: Literal["allow", "rewrite", "deny"], code: str | None, detail: str
) -> GuardrailCheck:
    """A verdict of a guard without its findings; most answers give it no reason for any."""
    return GuardrailCheck(
        point="response", step=step, call_id=None, guard=guard, verdict=verdict, code=code, detail=detail
    )


def _answer_outcome(end: LoopEnd, final_output: str) -> Literal["answered", "empty", "none"]:
    if end.answer is None:
        return "none"
    return "answered" if final_output.strip() else "empty"


def _response_check(outcome: GuardOutcome, *, step: int) -> GuardrailCheck:
    corrections, groundings = len(outcome.corrections), len(outcome.groundings)
    detail = outcome.detail or f"{corrections} corrections, {groundings} numbers grounded"
    check = _verdict(step, outcome.guard, outcome.verdict, outcome.code, detail)
    if not corrections and not groundings:
        return check
    return check.changed(
        corrections=tuple(
            CorrectionRecord(start=c.start, end=c.end, original=c.original, replacement=c.replacement, reason=c.reason)
            for c in outcome.corrections
        ),
        groundings=tuple(
            GroundingRecord(number=g.number, source=g.source, source_text=g.source_text) for g in outcome.groundings
        ),
    )
