"""Whether a run ended as its record says: the status and error that the last step and the verdicts leave possible."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dataset.artifacts.artifact import Artifact, JudgmentSection, ModelStep, ResultSection, RunError, RunStatus
from dataset.artifacts.outside_text import OutsideText
from dataset.measures.giving_up import GIVING_UP
from dataset.measures.guard_order import MODEL_GATES
from dataset.measures.run_facts import RunFacts
from dataset.measures.truncation import OUTPUT_TRUNCATED
from publisher.verification.difference import Difference, compare, fault
from publisher.verification.run_check import RunCheck, made, run_check, shows

Ending = tuple[RunStatus, str | None]
"""A status and the code of its error."""

HARNESS_BROKE = "RUN-HARNESS-001"
JUDGE_BROKE = "RUN-JUDGE-001"
GUARDS_BROKE = "RUN-GUARD-001"
_CONTEXT: Ending = ("context_failed", "CONTEXT-BUDGET-001")
GATE_ENDINGS: dict[str, Ending] = dict(
    zip(MODEL_GATES, (("step_limit", "RUN-LIMIT-001"), _CONTEXT, ("harness_failed", "RUN-TOOLS-001")), strict=True)
)
"""How a run ends where a gate stays shut."""


def broke_off(artifact: Artifact) -> bool:
    """Whether the run says that the harness, or the judge behind it, broke: its last turn may be unfinished."""
    error = artifact.result.error
    return error is not None and error.code in (HARNESS_BROKE, JUDGE_BROKE)


def given_up(artifact: Artifact) -> bool:
    """Whether the run says that it was stopped from outside, which is between its steps or before the first."""
    return artifact.result.status == "cancelled"


def broken_judge(artifact: Artifact) -> bool:
    """Whether the run says that its judge broke, which is why it may have no assertions; where its result is withheld
    the judgment says so."""
    if not shows(artifact, "result"):
        return not shows(artifact, "judgment") or artifact.judgment.invalid_reason == JUDGE_BROKE
    return artifact.result.error is not None and artifact.result.error.code == JUDGE_BROKE


def unguarded(artifact: Artifact) -> bool:
    """Whether the run says that its output guards broke before any of them spoke: nothing of its answer is shown."""
    error = artifact.result.error
    asked = any(check.point == "response" for check in artifact.guardrail_checks)
    return not asked and error is not None and error.code == GUARDS_BROKE


def told_ending(told: JudgmentSection | RunFacts) -> ResultSection:
    """As much of a withheld result as a judgment, or a report's line of it, tells: whether the run broke, or its reply
    was cut off."""
    ending: dict[str, Any] = {"status": "completed", "error": None}
    if told.verdict == "invalid":
        ending = {"status": "harness_failed", "error": RunError(code=told.invalid_reason or "", message="")}
    elif OUTPUT_TRUNCATED in told.failure_reasons:
        ending = {"status": "provider_failed", "error": RunError(code=OUTPUT_TRUNCATED, message="")}
    return ResultSection.model_construct(**ending)


def final_reply(artifact: Artifact) -> ModelStep | None:
    """The reply that ended the run: the last step, where it is one without calls that didn't fail."""
    last = artifact.steps[-1] if artifact.steps else None
    return last if isinstance(last, ModelStep) and last.error is None and not last.tool_calls else None


def is_blank(text: OutsideText | None) -> bool:
    """Whether an answer has nothing to guard. What has no Unicode form is never blank."""
    return text is None or (isinstance(text, str) and not text.strip())


def ending_differences(artifact: Artifact) -> Iterator[Difference]:
    """Status, error, stop reason and outcome against what the timeline leaves possible."""
    yield from made(ENDING_CHECKS, artifact)


def _status_differences(artifact: Artifact) -> Iterator[Difference]:
    result = artifact.result
    recorded: Ending = (result.status, result.error.code if result.error else None)
    if not shows(artifact, "guardrail_checks") and _by_verdict(artifact, recorded):
        return
    possible = _possible(artifact)
    if recorded not in possible:
        yield Difference(
            place="/result/status",
            expected=" or ".join(map(_told, possible)),
            observed=_told(recorded),
            message="is not how the timeline ends",
        )


def _by_verdict(artifact: Artifact, recorded: Ending) -> bool:
    """Whether a verdict, where verdicts are withheld, may have ended the run like this: a gate that stayed shut, or a
    guard that denied the answer."""
    last = artifact.steps[-1] if artifact.steps else None
    if isinstance(last, ModelStep) and last.error is not None:
        return False
    if final_reply(artifact) is None:
        return recorded in GATE_ENDINGS.values()
    status, code = recorded
    return status == "harness_failed" and code is not None


def _last_step_differences(artifact: Artifact) -> Iterator[Difference]:
    result, final = artifact.result, final_reply(artifact)
    stop = final.stop_reason if final else "error"
    for difference in compare("is not that of the last step", stop, result.stop_reason):
        yield difference.within_pointer("/result/stop_reason")
    if (final is None) != (result.answer_outcome == "none"):
        yield Difference(
            place="/result/answer_outcome",
            expected="none" if final is None else "answered or empty",
            observed=result.answer_outcome,
            message="is not what the last step gave",
        )


def _unopened_differences(artifact: Artifact) -> Iterator[Difference]:
    """A run that was given up before its context was opened has nothing else; one that went on has all it needs."""
    context = artifact.context
    if not given_up(artifact) or context.required_kept == context.required_total:
        return
    if any(
        shows(artifact, part) and getattr(artifact, part) for part in ("steps", "guardrail_checks", "visible_tools")
    ):
        yield fault("/context/required_kept", "a run that was given up went on without what its context requires")
    for position, item in enumerate(context.items):
        if item.decision != "omitted" or item.working_tokens:
            yield fault(f"/context/items/{position}", "is in a context that was never opened")


def _possible(artifact: Artifact) -> list[Ending]:
    """Every ending that the record allows. A judge that broke left no assertions, whatever went before."""
    judged = shows(artifact, "output_checks") and artifact.output_checks
    unjudged: list[Ending] = [] if judged else [("harness_failed", JUDGE_BROKE)]
    return [*_by_timeline(artifact), *unjudged]


def _by_timeline(artifact: Artifact) -> list[Ending]:
    checks = artifact.guardrail_checks if shows(artifact, "guardrail_checks") else ()
    closed = [c for c in checks if c.point == "model_call" and c.verdict == "deny"]
    if closed:
        return [GATE_ENDINGS[closed[0].guard]] if closed[0].guard in GATE_ENDINGS else []
    last = artifact.steps[-1] if artifact.steps else None
    if isinstance(last, ModelStep) and last.error is not None:
        return [("provider_failed", last.error)]
    final = final_reply(artifact)
    if final is None:
        unopened = not artifact.steps and not checks
        stopped: list[Ending] = [("cancelled", code) for code in GIVING_UP]
        return [*([_CONTEXT] if unopened else []), ("harness_failed", HARNESS_BROKE), *stopped]
    if not shows(artifact, "guardrail_checks"):
        return [("completed", None)]
    return [_guarded(artifact, final)]


def _guarded(artifact: Artifact, final: ModelStep) -> Ending:
    """How a run with a last reply ends: by the output guards, which have to be asked where it isn't blank."""
    answers = [check for check in artifact.guardrail_checks if check.point == "response"]
    denied = [check for check in answers if check.verdict == "deny"]
    if denied:
        return ("harness_failed", denied[0].code)
    return ("completed", None) if answers or is_blank(final.text) else ("harness_failed", GUARDS_BROKE)


def _told(ending: Ending) -> str:
    status, code = ending
    return f"{status} ({code})" if code else status


ENDING_CHECKS: tuple[RunCheck[[]], ...] = (
    run_check(_status_differences, "result", "steps"),
    run_check(_last_step_differences, "result", "steps"),
    run_check(_unopened_differences, "context", "result"),
)
