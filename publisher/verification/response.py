"""Whether an answer went through every output guard, and each number's source holds it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from dataset.artifacts.artifact import Artifact, GroundingRecord, GuardrailCheck, ToolStep
from dataset.artifacts.outside_text import shown
from dataset.measures.guard_order import QUESTION_SOURCE, RESPONSE_CHAIN, RESPONSE_GUARDS, context_source, reply_source
from dataset.measures.numbers import fold
from dataset.measures.searches import is_search
from dataset.measures.working_text import trusted_texts
from publisher.verification.difference import Difference, fault, short
from publisher.verification.ending import final_reply, is_blank, unguarded
from publisher.verification.run_check import RunCheck, made, run_check


def response_differences(artifact: Artifact) -> Iterator[Difference]:
    """Every place where the verdicts on an answer aren't those of the guards in their order, or a source lacks it."""
    yield from made(RESPONSE_CHECKS, artifact)


def _placed(artifact: Artifact) -> list[tuple[int, GuardrailCheck]]:
    """The verdicts on the answer, each with its position among all."""
    return [(p, check) for p, check in enumerate(artifact.guardrail_checks) if check.point == "response"]


def _verdict_differences(artifact: Artifact) -> Iterator[Difference]:
    placed = _placed(artifact)
    checks = [check for _, check in placed]
    if not _is_answered(artifact):
        if checks:
            yield fault("/guardrail_checks", "output guards of an answer that isn't there")
        return
    if not unguarded(artifact) and not _in_order(checks):
        yield Difference(
            place="/guardrail_checks",
            expected=", ".join(RESPONSE_GUARDS),
            observed=short(", ".join(check.guard for check in checks)) or "none",
            message="output guards of the answer",
        )
    for position, check in placed:
        if check.step != len(artifact.steps) - 1 or check.call_id is not None:
            yield fault(f"/guardrail_checks/{position}", "is not on the last reply")


def _is_answered(artifact: Artifact) -> bool:
    """Whether there is an answer to guard."""
    final = final_reply(artifact)
    return final is not None and not is_blank(final.text)


def _in_order(checks: Sequence[GuardrailCheck]) -> bool:
    """Each guard once in order, then later rounds' rewrites; a chain that broke denies at any point, as the last."""
    if checks and checks[-1].verdict == "deny":
        return checks[-1].guard == RESPONSE_CHAIN and _rounds(checks[:-1], whole=False)
    return _rounds(checks, whole=True)


def _rounds(checks: Sequence[GuardrailCheck], *, whole: bool) -> bool:
    first, later = checks[: len(RESPONSE_GUARDS)], checks[len(RESPONSE_GUARDS) :]
    wanted = RESPONSE_GUARDS if whole else RESPONSE_GUARDS[: len(first)]
    return (
        tuple(check.guard for check in first) == wanted
        and all(check.verdict != "deny" for check in first)
        and all(check.guard in RESPONSE_GUARDS and check.verdict == "rewrite" for check in later)
    )


def _grounding_differences(artifact: Artifact) -> Iterator[Difference]:
    if not _is_answered(artifact):
        return
    sources = _sources(artifact)
    for position, check in _placed(artifact):
        for index, grounding in enumerate(check.groundings):
            message = _grounding_fault(grounding, sources)
            if message:
                yield fault(f"/guardrail_checks/{position}/groundings/{index}", message)


def _sources(artifact: Artifact) -> Mapping[str, str]:
    """What a number may come from, by the name that a grounding has for it; folded, as guards read it."""
    replies = {
        reply_source(step.step, shown(step.tool)): fold(shown(step.result))
        for step in artifact.steps
        if isinstance(step, ToolStep) and step.outcome == "executed" and not is_search(step)
    }
    session = {context_source(item): fold(text) for item, text in trusted_texts(artifact.context)}
    return {**replies, **session, QUESTION_SOURCE: fold(artifact.case.question)}


def _grounding_fault(grounding: GroundingRecord, sources: Mapping[str, str]) -> str | None:
    text = sources.get(grounding.source)
    if text is None:
        return "names a source that the run hasn't"
    return None if grounding.source_text and fold(grounding.source_text) in text else "does not stand in its source"


RESPONSE_CHECKS: tuple[RunCheck[[]], ...] = (
    run_check(_verdict_differences, "guardrail_checks", "result", "steps"),
    run_check(_grounding_differences, "case", "context", "guardrail_checks", "steps"),
)
