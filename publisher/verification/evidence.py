"""Whether a run's judgment follows from its evidence, and the evidence from itself: what can be made again is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterator

from dataset.artifacts.artifact import (
    Artifact,
    GuardrailCheck,
    ModelStep,
    OutputCheck,
    ResultSection,
    ToolStep,
)
from dataset.artifacts.outside_text import OutsideText
from dataset.canonical import read_canonical, sha256_hex
from dataset.measures.correction import corrected
from dataset.measures.cost import total_usage
from dataset.measures.truncation import is_reply
from dataset.measures.verdict import derive_judgment, stands
from publisher.verification.difference import Difference, compare, short
from publisher.verification.ending import told_ending, unguarded
from publisher.verification.observation import observe_shown
from publisher.verification.replies import reply_differences
from publisher.verification.run_check import RunCheck, made, run_check, shows


def evidence_differences(artifact: Artifact) -> Iterator[Difference]:
    """Every place where judgment, assertions or counts contradict what the run recorded.

    A forger who flips a verdict and makes every hash anew is found here: the assertions are observed again in the
    timeline, and the judgment is derived again from the assertions.
    """
    yield from made(EVIDENCE_CHECKS, artifact)


def _assertion_differences(artifact: Artifact) -> Iterator[Difference]:
    for position, check in enumerate(artifact.output_checks):
        for difference in _check_differences(check, artifact):
            yield difference.within_pointer(f"/output_checks/{position}")


def _check_differences(check: OutputCheck, artifact: Artifact) -> Iterator[Difference]:
    # The subject was written by whoever made the file: whatever a measure does with nonsense, it is a difference.
    try:
        observed = observe_shown(read_canonical(check.subject.encode()), artifact)
    except Exception as error:
        yield _unmeasurable("/subject", f"can't be observed: {type(error).__name__}")
        return
    if observed is not None and observed != check.observed:
        yield Difference(
            place="/observed",
            expected=short(observed),
            observed=short(check.observed),
            message="the evidence of this assertion shows something else",
        )
    try:
        passed = stands(check.relation, check.expected, check.observed)
    except ArithmeticError:
        yield _unmeasurable("/expected", "this assertion is not of two numbers that can be compared")
        return
    if passed != check.passed:
        yield Difference(
            place="/passed",
            expected=short(passed),
            observed=short(check.passed),
            message="does not follow from expected and observed",
        )


def _unmeasurable(place: str, message: str) -> Difference:
    return Difference(place=place, expected="", observed="", message=message)


def _repeated_ids(artifact: Artifact) -> Iterator[Difference]:
    seen: set[str] = set()
    for position, check in enumerate(artifact.output_checks):
        if check.id in seen:
            yield Difference(
                place=f"/output_checks/{position}/id",
                expected="an id of its own",
                observed=short(check.id),
                message="two assertions have one id",
            )
        seen.add(check.id)


def _judgment_differences(artifact: Artifact) -> Iterator[Difference]:
    judgment = artifact.judgment
    result = artifact.result if shows(artifact, "result") else told_ending(judgment)
    derived = derive_judgment(judgment.judge_version, result, artifact.output_checks)
    for difference in compare("does not follow from the assertions", derived.body(), judgment.body()):
        yield difference.within_pointer("/judgment")


def _correction_count_differences(artifact: Artifact) -> Iterator[Difference]:
    counted = sum(len(check.corrections) for check in artifact.guardrail_checks if check.point == "response")
    for difference in compare("does not follow from the timeline", counted, artifact.result.corrections):
        yield difference.within_pointer("/result/corrections")


def _total_differences(artifact: Artifact) -> Iterator[Difference]:
    """Counts, usage, latency and the digest of the raw answer, made again from the timeline."""
    result = artifact.result
    replies = [step for step in artifact.steps if isinstance(step, ModelStep)]
    calls = [step for step in artifact.steps if isinstance(step, ToolStep)]
    given = [reply for reply in replies if is_reply(reply)]
    totals = {
        "model_steps": len(given),
        "refused_calls": sum(1 for step in calls if step.outcome == "refused"),
        "tool_calls": len(calls),
        "latency_ms": sum(reply.latency_ms for reply in replies),
        "usage": total_usage([reply.usage for reply in given]).body(),
        "raw_output_sha256": sha256_hex(_raw_answer(result, replies)),
    }
    body = result.body()
    for difference in compare("does not follow from the timeline", totals, {name: body[name] for name in totals}):
        yield difference.within_pointer("/result")


def _raw_answer(result: ResultSection, replies: list[ModelStep]) -> bytes:
    """The last reply of a run that ended with an answer, as its bytes; a run cut short has none."""
    if result.answer_outcome == "none" or not replies or replies[-1].text is None:
        return b""
    return _bytes(replies[-1].text)


def _bytes(kept: OutsideText) -> bytes:
    """Text from outside as it was received."""
    return kept.encode() if isinstance(kept, str) else kept.raw


def _answer_differences(artifact: Artifact) -> Iterator[Difference]:
    """The final answer is the raw one with every recorded correction replayed; a broken chain shows nothing of it."""
    result = artifact.result
    raw = _raw_answer(result, [step for step in artifact.steps if isinstance(step, ModelStep)])
    text = raw.decode("utf-8", "replace")
    if shows(artifact, "guardrail_checks"):
        text = yield from _guarded(artifact, "" if unguarded(artifact) else text)
    elif result.status != "completed" or result.corrections:
        return  # what the guards made of the answer is withheld with their verdicts
    expected = text if text.strip() else ""
    for difference in compare("does not follow from the last reply and its corrections", expected, result.final_output):
        yield difference.within_pointer("/result/final_output")


def _guarded(artifact: Artifact, text: str) -> Generator[Difference, None, str]:
    """The differences of the corrections; returns what they leave of an answer."""
    for position, check in enumerate(artifact.guardrail_checks):
        if check.point == "response":
            yield from _correction_differences(check, text, f"/guardrail_checks/{position}")
            text = "" if check.verdict == "deny" else corrected(text, check.corrections)
    return text


def _outcome_differences(artifact: Artifact) -> Iterator[Difference]:
    result = artifact.result
    outcome = "none" if result.answer_outcome == "none" else "answered" if result.final_output.strip() else "empty"
    for difference in compare("does not follow from the answer", outcome, result.answer_outcome):
        yield difference.within_pointer("/result/answer_outcome")


def _correction_differences(check: GuardrailCheck, text: str, place: str) -> Iterator[Difference]:
    """A rewrite has corrections, in order and without overlap, each of what stands there; nothing else has any."""
    if (check.verdict == "rewrite") != bool(check.corrections):
        yield _unmeasurable(
            f"{place}/corrections", f"verdict {check.verdict} with {len(check.corrections)} corrections"
        )
    last = 0
    for index, change in enumerate(check.corrections):
        if not last <= change.start <= change.end or text[change.start : change.end] != change.original:
            message = "is not what stands in the answer there"
            yield _unmeasurable(f"{place}/corrections/{index}", message)
        last = change.end


def _context_differences(artifact: Artifact) -> Iterator[Difference]:
    """Counts and sums made again from the items, and the digest of every text; only a system prompt is withheld."""
    items = artifact.context.items
    required = [item for item in items if item.required]
    totals = {
        "required_total": len(required),
        "required_kept": sum(1 for item in required if item.decision == "kept"),
        "category_counts": dict(Counter(item.category for item in items)),
        "original_tokens": sum(item.original_tokens for item in items),
        "working_tokens": sum(item.working_tokens for item in items),
    }
    body = artifact.context.body()
    for difference in compare("does not follow from the items", totals, {name: body[name] for name in totals}):
        yield difference.within_pointer("/context")
    for position, item in enumerate(items):
        place = f"/context/items/{position}"
        if item.text is None and item.category != "system":
            yield _unmeasurable(f"{place}/text", "withheld, which only a system prompt may be")
        elif item.text is not None:
            for difference in compare("is not the digest of the text", sha256_hex(_bytes(item.text)), item.sha256):
                yield difference.within_pointer(f"{place}/sha256")


EVIDENCE_CHECKS: tuple[RunCheck[[]], ...] = (
    run_check(_assertion_differences, "output_checks"),
    run_check(_repeated_ids, "output_checks"),
    run_check(_judgment_differences, "judgment", "output_checks"),
    run_check(_correction_count_differences, "guardrail_checks", "result"),
    run_check(_total_differences, "result", "steps"),
    run_check(_answer_differences, "result", "steps"),
    run_check(_outcome_differences, "result"),
    run_check(_context_differences, "context"),
    run_check(reply_differences, "steps"),
)
