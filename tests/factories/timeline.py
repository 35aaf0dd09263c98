"""What happens in one run, step by step, and what the guards and the judge say to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from dataset.artifacts.artifact import (
    CorrectionRecord,
    GroundingRecord,
    GuardrailCheck,
    HttpAttempt,
    ModelStep,
    OutputCheck,
    Step,
    ToolCallRecord,
    ToolStep,
    Usage,
)
from dataset.artifacts.definition import (
    BatchDefinition,
    FrozenModel,
    PlannedRun,
)
from dataset.artifacts.outside_text import keep
from dataset.artifacts.revision import revision_id
from dataset.canonical import canonical_text
from dataset.measures.fixed_rules.assertion import settle
from dataset.measures.fixed_rules.rules import assertions
from dataset.measures.guard_order import (
    CALL_GUARDS,
    MODEL_GATES,
    OBSERVATION_GUARDS,
    RESPONSE_GUARDS,
    reply_source,
)
from dataset.questions.gold import Gold
from dataset.questions.variant import Variant
from dataset.record import RunId
from publisher.projection.report import replayed_batch
from tests.factories.bank import (
    STARTED,
    BankCase,
    make_fixture_set,
)

Scenario = Literal["pass", "fail", "refused", "invalid", "unstarted", "stopped", "truncated"]
"""`pass`: one call, a grounded number · `fail`: no call, an invented number that the guardrail replaced ·
`refused`: a call that needs a login is denied, arguments that aren't valid Unicode, passes all the same ·
`invalid`: the provider failed after retries · `unstarted`: cancelled before its first step · `stopped`: cancelled after
one call, with the next question ready · `truncated`: the output limit cut the only reply off."""
UNANSWERED: tuple[Scenario, ...] = ("invalid", "unstarted", "stopped", "truncated")
CANCELLED: tuple[Scenario, ...] = ("unstarted", "stopped")


@dataclass(frozen=True, kw_only=True)
class RunPlan:
    """One run to build: where it stands in its batch, how it goes, and the text planted in it."""

    batch_id: str
    definition: BatchDefinition
    planned: PlannedRun
    case: BankCase
    variant: Variant
    scenario: Scenario = "pass"
    text: str = ""
    revision: int = 1

    @property
    def run_id(self) -> RunId:
        """The id of this revision."""
        return revision_id(self.planned.run_id, self.revision)

    @property
    def model(self) -> FrozenModel:
        """The candidate of this run."""
        return next(model for model in self.definition.models if model.key == self.planned.model_key)


_ABOUT = "It should be about "


def _invented(plan: RunPlan) -> str:
    return f"9.8765 {plan.text}".strip()


def final_answer(plan: RunPlan) -> str:
    if plan.scenario in UNANSWERED:
        return ""
    if plan.scenario == "fail":
        return f"{_ABOUT}[unverified figure] yuan. {plan.text}".strip()
    return f"The NAV of fund 000001 is 1.2345. {plan.text}".strip()


def make_steps(plan: RunPlan) -> tuple[Step, ...]:
    if plan.scenario == "unstarted":
        return ()
    if plan.scenario in ("invalid", "truncated"):
        return (_model_step(plan, 0, stop="error"),)
    if plan.scenario == "fail":
        return (_model_step(plan, 0, answer=f"{_ABOUT}{_invented(plan)} yuan. {plan.text}".strip()),)
    calls = [
        ToolCallRecord(id="call-1", name="fund_nav", arguments_raw='{"code":"000001"}', arguments_parsed=_ARGUMENTS)
    ]
    answers: list[Step] = [_executed(plan, 1)]
    if plan.scenario == "refused":
        raw = keep(b"\xff\xfe" + plan.text.encode())
        calls.append(ToolCallRecord(id="call-2", name="order_history", arguments_raw=raw, arguments_parsed=None))
        answers.append(_refused(plan, 2))
    opening = (_model_step(plan, 0, calls=tuple(calls)), *answers)
    if plan.scenario == "stopped":
        return opening
    return (
        *opening,
        _model_step(plan, len(answers) + 1, answer=final_answer(plan)),
    )


_SOURCE = reply_source(1, "fund_nav")
_ARGUMENTS = canonical_text({"code": "000001"})


def _model_step(
    plan: RunPlan,
    step: int,
    *,
    answer: str | None = None,
    calls: tuple[ToolCallRecord, ...] = (),
    stop: Literal["error"] | None = None,
) -> ModelStep:
    latency = 100 + plan.planned.position * 10 + step
    broken = stop is not None
    error = "output_truncated" if plan.scenario == "truncated" else "provider_5xx"
    reported = (
        Usage()
        if broken and plan.scenario != "truncated"
        else Usage(input_tokens=400 + step, output_tokens=50, reasoning_tokens=None)
    )
    return ModelStep(
        step=step,
        text=answer,
        tool_calls=calls,
        stop_reason=stop or ("tool_calls" if calls else "stop"),
        finish_reason=None if broken else "stop",
        usage=reported,
        latency_ms=latency,
        attempts=()
        if replayed_batch(plan.definition)
        else (
            HttpAttempt(status=429, code="rate_limited", latency_ms=20),
            HttpAttempt(
                status=503 if broken and plan.scenario != "truncated" else 200,
                code=error if broken else None,
                latency_ms=latency - 20,
            ),
        ),
        model_returned=None if broken else plan.model.model_id,
        request_id=None if broken else f"req-{plan.planned.position}-{step}",
        system_fingerprint=None,
        error=error if broken else None,
        started_at=STARTED,
    )


def _executed(plan: RunPlan, step: int) -> ToolStep:
    frozen = next(iter(make_fixture_set(text=plan.text).fixtures.values()))
    return ToolStep(
        step=step,
        call_id="call-1",
        tool="fund_nav",
        tool_version=1,
        untrusted=False,
        arguments_raw='{"code":"000001"}',
        arguments_parsed=_ARGUMENTS,
        outcome="executed",
        code=None,
        source="fixture",
        reply_hash=frozen.recorded_hash,
        reply_status="ok",
        result=frozen.fixture.reply,
    )


def _refused(plan: RunPlan, step: int) -> ToolStep:
    return ToolStep(
        step=step,
        call_id="call-2",
        tool="order_history",
        tool_version=1,
        untrusted=False,
        arguments_raw=keep(b"\xff\xfe" + plan.text.encode()),
        arguments_parsed=None,
        outcome="refused",
        code="G3-AUTH-001",
        source="refusal",
        reply_hash=None,
        reply_status=None,
        result=canonical_text({"error": "refused", "code": "G3-AUTH-001", "message": _told(plan, "log in first")}),
    )


def _told(plan: RunPlan, detail: str) -> str:
    return f"{detail} {plan.text}".strip()


def make_guardrail_checks(plan: RunPlan) -> tuple[GuardrailCheck, ...]:
    """The gates of every model step, the chain of every call, and the guards of an answer."""
    steps = make_steps(plan)
    checks = [
        check for step in steps for check in (_gates(plan, step.step) if step.kind == "model" else _chain(plan, step))
    ]
    if plan.scenario == "stopped":
        checks += _gates(plan, len(steps))
    return (*checks, *(() if plan.scenario in UNANSWERED else _guards(plan, steps[-1])))


def _check(plan: RunPlan, point: str, step: Step | int, guard: str, **more: Any) -> GuardrailCheck:
    fields: dict[str, Any] = {
        "point": point,
        "step": step if isinstance(step, int) else step.step,
        "call_id": step.call_id if isinstance(step, ToolStep) else None,
        "guard": guard,
        "verdict": "allow",
        "code": None,
        "detail": _told(plan, f"{guard} is content"),
    }
    return GuardrailCheck(**(fields | more))


def _gates(plan: RunPlan, step: int) -> list[GuardrailCheck]:
    return [_check(plan, "model_call", step, gate) for gate in MODEL_GATES]


def _chain(plan: RunPlan, step: ToolStep) -> list[GuardrailCheck]:
    if step.outcome == "executed":
        return [
            *(_check(plan, "tool_call", step, guard) for guard in CALL_GUARDS),
            *(_check(plan, "observation", step, guard) for guard in OBSERVATION_GUARDS),
        ]
    denied = {"verdict": "deny", "code": step.code, "detail": _told(plan, "log in first")}
    return [
        *(_check(plan, "tool_call", step, guard) for guard in CALL_GUARDS[:2]),
        _check(plan, "tool_call", step, CALL_GUARDS[2], **denied),
    ]


def _guards(plan: RunPlan, step: Step) -> list[GuardrailCheck]:
    wording = [_check(plan, "response", step, guard) for guard in RESPONSE_GUARDS[:2]]
    numbers: dict[str, Any] = {"groundings": (GroundingRecord(number="1.2345", source=_SOURCE, source_text="1.2345"),)}
    if plan.scenario == "fail":
        invented = _invented(plan)
        change = CorrectionRecord(
            start=len(_ABOUT),
            end=len(_ABOUT) + len(invented),
            original=invented,
            replacement="[unverified figure]",
            reason="no tool result holds it",
        )
        numbers = {"verdict": "rewrite", "code": "OUT-NUM-001", "corrections": (change,)}
    return [*wording, _check(plan, "response", step, RESPONSE_GUARDS[2], **numbers)]


def make_output_checks(evidence: Any, gold: Gold) -> tuple[OutputCheck, ...]:
    """Every assertion of a gold, observed in the evidence."""
    return tuple(settle(assertion, evidence) for assertion in assertions(gold, evidence.case.locale))
