"""Whether every model call passed the gates and every tool call the governance chain, and ended as they said."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence

from dataset.artifacts.artifact import Artifact, GuardrailCheck, ModelStep, ToolStep
from dataset.canonical import CanonicalError, canonical_text
from dataset.measures.guard_order import BROKEN_GUARD, CALL_GUARDS, MODEL_GATES, OBSERVATION_GUARDS
from publisher.verification.difference import Difference, compare, fault
from publisher.verification.ending import GATE_ENDINGS, broke_off, given_up
from publisher.verification.run_check import RunCheck, made, run_check, shows

_POINTS = ("model_call", "tool_call", "observation", "response")
_PLACE = "/guardrail_checks"


def governance_differences(artifact: Artifact) -> Iterator[Difference]:
    """Every place where the verdicts aren't those that the steps needed, or a step went on against them."""
    yield from made(GOVERNANCE_CHECKS, artifact)


def _order_differences(artifact: Artifact) -> Iterator[Difference]:
    checks = artifact.guardrail_checks
    order = [(check.point == "response", check.step, _POINTS.index(check.point)) for check in checks]
    if order != sorted(order):
        yield fault(_PLACE, "verdicts are not in the order of the steps")
    for position, check in enumerate(checks):
        if (check.verdict == "allow") != (check.code is None):
            yield fault(f"{_PLACE}/{position}/code", "a code stands with a verdict that isn't allow, and only there")


def _step_differences(artifact: Artifact) -> Iterator[Difference]:
    visible: frozenset[str] | None = None
    for at, step in enumerate(artifact.steps):
        verdicts = _at(artifact.guardrail_checks, at)
        if isinstance(step, ModelStep) and shows(artifact, "visible_tools"):
            visible = _visible_at(artifact, at)
        expected = ("model_call",) if isinstance(step, ModelStep) else ("tool_call", "observation")
        if any(found for point, found in verdicts.items() if point not in expected):
            yield fault(f"/steps/{at}", "has verdicts of a step of the other kind")
        if isinstance(step, ModelStep):
            yield from _gate_differences(verdicts["model_call"], at, closed=False)
        else:
            yield from _call_differences(step, at, verdicts["tool_call"], verdicts["observation"])
            if visible is not None:
                yield from _visibility_differences(step, at, verdicts["tool_call"], visible)


def _at(checks: Sequence[GuardrailCheck], step: int) -> dict[str, list[GuardrailCheck]]:
    """The verdicts at one step number by their point, without those on the answer."""
    here = [check for check in checks if check.step == step]
    return {point: [check for check in here if check.point == point] for point in _POINTS[:-1]}


def _closing_differences(artifact: Artifact) -> Iterator[Difference]:
    """Behind the last step there is at most the gate that ended the run, or all of them, open, where it was given up
    with its next question ready."""
    last = len(artifact.steps)
    if any(check.step > last for check in artifact.guardrail_checks):
        yield fault(_PLACE, "a verdict on a step that doesn't exist")
    behind = _at(artifact.guardrail_checks, last)
    if given_up(artifact) and shows(artifact, "visible_tools"):
        ready = any(entry.step == last for entry in artifact.visible_tools)
        if ready != bool(behind["model_call"]):
            yield fault(f"/steps/{last}", "gates and loaded tools of a question that wasn't asked come together")
    if not any(behind.values()) or broke_off(artifact):
        return
    if behind["tool_call"] or behind["observation"]:
        yield fault(_PLACE, "a verdict on a step that doesn't exist")
    yield from _gate_differences(behind["model_call"], last, closed=not given_up(artifact))


def _gate_differences(verdicts: Sequence[GuardrailCheck], at: int, *, closed: bool) -> Iterator[Difference]:
    """All gates open before a model step; where one stays shut it is the last, and names its own code."""
    found = [(check.guard, check.verdict) for check in verdicts]
    wanted = [(gate, "allow") for gate in MODEL_GATES]
    if closed:
        wanted = [*wanted[: len(found) - 1], *((gate, "deny") for gate in MODEL_GATES[len(found) - 1 : len(found)])]
    if found != wanted:
        yield Difference(
            place=f"/steps/{at}", expected=_told(wanted), observed=_told(found), message="gates before a model step"
        )
    elif closed and verdicts[-1].code != GATE_ENDINGS[verdicts[-1].guard][1]:
        yield fault(f"/steps/{at}", "the gate that stayed shut has the code of another")
    if any(check.call_id is not None for check in verdicts):
        yield fault(f"/steps/{at}", "a gate names a call")


def _call_differences(
    step: ToolStep, at: int, calls: Sequence[GuardrailCheck], observed: Sequence[GuardrailCheck]
) -> Iterator[Difference]:
    place = f"/steps/{at}"
    if any(check.call_id != step.call_id for check in (*calls, *observed)):
        yield fault(place, "a verdict names another call")
    refusal = calls[-1] if calls and calls[-1].verdict == "deny" else None
    if not _follows(calls, CALL_GUARDS, may_rewrite=False):
        yield _disorder(place, CALL_GUARDS, calls)
    if refusal is not None and observed:
        yield fault(place, "a call that was denied has verdicts on its reply")
    if refusal is None:
        refusal = observed[-1] if observed and observed[-1].verdict == "deny" else None
        if not _follows(observed, OBSERVATION_GUARDS, may_rewrite=True):
            yield _disorder(place, OBSERVATION_GUARDS, observed)
    if (refusal is None) != (step.outcome == "executed"):
        yield fault(f"{place}/outcome", f"{step.outcome}, which is not what the verdicts say")
    yield from _refusal_differences(step, place, refusal)


def _visible_at(artifact: Artifact, step: int) -> frozenset[str]:
    """The names that a model step could see, and so may call."""
    return frozenset(tool.name for loaded in artifact.visible_tools if loaded.step == step for tool in loaded.tools)


def _visibility_differences(
    step: ToolStep, at: int, calls: Sequence[GuardrailCheck], visible: Container[str]
) -> Iterator[Difference]:
    """G1 lets exactly those calls through whose tool stood in what the model had been given when it made them."""
    seen = isinstance(step.tool, str) and step.tool in visible
    for check in calls:
        if check.guard == CALL_GUARDS[0] and (check.verdict == "allow") != seen:
            message = "was visible to the model" if seen else "was not visible to the model"
            yield fault(f"/steps/{at}/tool", f"{check.guard} says {check.verdict}, but the tool {message}")


def _follows(verdicts: Sequence[GuardrailCheck], order: Sequence[str], *, may_rewrite: bool) -> bool:
    """Whether verdicts are those of a chain in its order, up to the first that denies or to the end."""
    passing = ("allow", "rewrite") if may_rewrite else ("allow",)
    for guard, check in zip(order, verdicts, strict=False):
        if check.verdict == "deny":
            return check is verdicts[-1] and check.guard in (guard, BROKEN_GUARD)
        if check.guard != guard or check.verdict not in passing:
            return False
    # an empty chain denies in the place of its first rule, so nothing short of the whole order is left
    return len(verdicts) == len(order)


def _refusal_differences(step: ToolStep, place: str, refusal: GuardrailCheck | None) -> Iterator[Difference]:
    """The code of a step is its refusal's, and what the model saw tells it."""
    wanted = refusal.code if refusal else None
    for difference in compare("is not the code of the verdict", wanted, step.code):
        yield difference.within_pointer(f"{place}/code")
    if refusal is None:
        return
    try:
        text = canonical_text(_refusal(refusal))
    except CanonicalError:
        yield fault(f"{place}/result", "the verdict has no text to be told in")
        return
    shown = step.body()["result"]
    for difference in compare("is not the refusal as the verdict words it", text, shown):
        yield difference.within_pointer(f"{place}/result")


def _refusal(check: GuardrailCheck) -> Mapping[str, str | None]:
    return {"code": check.code, "error": "refused", "message": check.detail}


def _disorder(place: str, order: Sequence[str], verdicts: Sequence[GuardrailCheck]) -> Difference:
    return Difference(
        place=place,
        expected=f"{' '.join(order)}, up to the first that denies",
        observed=_told([(check.guard, check.verdict) for check in verdicts]),
        message="verdicts on a tool call",
    )


def _told(verdicts: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f"{guard} {verdict}" for guard, verdict in verdicts) or "none"


GOVERNANCE_CHECKS: tuple[RunCheck[[]], ...] = (
    run_check(_order_differences, "guardrail_checks"),
    run_check(_step_differences, "guardrail_checks", "steps"),
    run_check(_closing_differences, "guardrail_checks", "result", "steps"),
)
