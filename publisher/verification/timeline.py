"""Whether the steps of a run follow from each other: numbers, calls and their answers, what was loaded, times."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dataset.artifacts.artifact import Artifact, ModelStep, ToolCallRecord, ToolStep
from dataset.artifacts.outside_text import OutsideText
from dataset.canonical import Json
from dataset.measures.guard_order import CONTEXT_GATE
from dataset.tools.arguments import parse_arguments
from publisher.verification.difference import Difference, compare, fault
from publisher.verification.ending import broke_off, given_up
from publisher.verification.run_check import RunCheck, made, run_check, shows


def timeline_differences(artifact: Artifact) -> Iterator[Difference]:
    """Every place where a step can't stand where it stands."""
    yield from made(TIMELINE_CHECKS, artifact)


def _number_differences(artifact: Artifact) -> Iterator[Difference]:
    numbers: list[Json] = [step.step for step in artifact.steps]
    for difference in compare("steps are numbered from 0", list(range(len(numbers))), numbers):
        yield difference.within_pointer("/steps")


def _name_differences(artifact: Artifact) -> Iterator[Difference]:
    named = sorted({s.model_returned for s in artifact.steps if isinstance(s, ModelStep) and s.model_returned})
    for difference in compare("is not how the replies name the model", named, list(artifact.provenance.model.returned)):
        yield difference.within_pointer("/provenance/model/returned")


def _turn_differences(artifact: Artifact) -> Iterator[Difference]:
    """Each reply is followed by the answers of its calls and nothing else; only a last one may be without calls."""
    steps, at = artifact.steps, 0
    used: set[OutsideText] = set()
    while at < len(steps):
        reply = steps[at]
        if not isinstance(reply, ModelStep):
            yield fault(f"/steps/{at}", "answers no call")
            at += 1
            continue
        answers = _answers(artifact, at)
        last = at + len(answers) + 1 == len(steps)
        if not last and not reply.tool_calls:
            yield fault(f"/steps/{at}", "a reply without calls is followed by more steps")
        if len(answers) != len(reply.tool_calls) and not (last and _may_break_off(artifact)):
            yield fault(f"/steps/{at}/tool_calls", f"{len(reply.tool_calls)} calls and {len(answers)} answers")
        if reply.error is not None and (reply.tool_calls or reply.text is not None or not last):
            yield fault(f"/steps/{at}/error", "a reply that failed has text, calls or a successor")
        yield from _call_differences(reply, answers, at, used)
        at += len(answers) + 1


def _may_break_off(artifact: Artifact) -> bool:
    return not shows(artifact, "result") or broke_off(artifact)


def _answers(artifact: Artifact, at: int) -> list[ToolStep]:
    """The tool steps right behind a reply, as many as it has calls at most."""
    found: list[ToolStep] = []
    reply = artifact.steps[at]
    wanted = len(reply.tool_calls) if isinstance(reply, ModelStep) else 0
    for step in artifact.steps[at + 1 : at + 1 + wanted]:
        if not isinstance(step, ToolStep):
            break
        found.append(step)
    return found


def _call_differences(
    reply: ModelStep, answers: Sequence[ToolStep], at: int, used: set[OutsideText]
) -> Iterator[Difference]:
    for index, call in enumerate(reply.tool_calls):
        parsed = _canonical(call.arguments_raw)
        for difference in compare("is not what the raw arguments say", parsed, call.arguments_parsed):
            yield difference.within_pointer(f"/steps/{at}/tool_calls/{index}/arguments_parsed")
        known_as = call.id if call.id and call.id not in used else f"call-{at + 1}-{index}"
        used.add(known_as)
        if index < len(answers):
            answer = answers[index].body()
            wanted = _as_answered(call, known_as, parsed)
            for difference in compare("is not the call that the model made", wanted, {k: answer[k] for k in wanted}):
                yield difference.within_pointer(f"/steps/{at + 1 + index}")


def _as_answered(call: ToolCallRecord, known_as: OutsideText, parsed: str | None) -> dict[str, Json]:
    """A call as the tool step that answers it repeats it."""
    body = call.model_copy(update={"id": known_as}).body()
    return {
        "call_id": body["id"],
        "tool": body["name"],
        "arguments_raw": body["arguments_raw"],
        "arguments_parsed": parsed,
    }


def _canonical(raw: OutsideText) -> str | None:
    return parse_arguments(raw).canonical if isinstance(raw, str) else None


def _loading_differences(artifact: Artifact) -> Iterator[Difference]:
    """The tools were loaded once for each question to the model; a run cut short may not have got to ask."""
    asked: list[Json] = [step.step for step in artifact.steps if isinstance(step, ModelStep)]
    loaded: list[Json] = [entry.step for entry in artifact.visible_tools]
    if (broke_off(artifact) or given_up(artifact)) and loaded == [*asked, len(artifact.steps)]:
        return
    for difference in compare("tools are loaded once for each model step", asked, loaded):
        yield difference.within_pointer("/visible_tools")


def _counting_differences(artifact: Artifact) -> Iterator[Difference]:
    """The context was counted once at its gate, whether that opened or not."""
    gated: list[Json] = [c.step for c in artifact.guardrail_checks if c.guard == CONTEXT_GATE]
    counted: list[Json] = [entry.step for entry in artifact.context.step_tokens]
    for difference in compare("the context is counted once for each gate", gated, counted):
        yield difference.within_pointer("/context/step_tokens")


def _time_differences(artifact: Artifact) -> Iterator[Difference]:
    """Times in one form compare as text."""
    start, end = artifact.provenance.started_at, artifact.provenance.finished_at
    if start > end:
        yield Difference(
            place="/provenance/finished_at", expected=f"from {start}", observed=end, message="before the start"
        )


def _step_time_differences(artifact: Artifact) -> Iterator[Difference]:
    """Steps aren't compared with each other: a clock may be set back by a little."""
    start, end = artifact.provenance.started_at, artifact.provenance.finished_at
    for at, step in enumerate(artifact.steps):
        if isinstance(step, ModelStep) and not start <= step.started_at <= end:
            yield Difference(
                place=f"/steps/{at}/started_at",
                expected=f"from {start} to {end}",
                observed=step.started_at,
                message="outside the run",
            )


TIMELINE_CHECKS: tuple[RunCheck[[]], ...] = (
    run_check(_number_differences, "steps"),
    run_check(_turn_differences, "steps"),
    run_check(_loading_differences, "result", "steps", "visible_tools"),
    run_check(_counting_differences, "context", "guardrail_checks"),
    run_check(_time_differences),
    run_check(_step_time_differences, "steps"),
    run_check(_name_differences, "steps"),
)
