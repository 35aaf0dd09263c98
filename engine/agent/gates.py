"""The three gates before every model call, all code: limits left, context within budget, tool set valid."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, NoReturn, assert_never

from dataset.artifacts.artifact import GuardrailCheck, RunStatus
from dataset.context.interface import ContextBudgetError
from dataset.errors import GlassbenchError
from engine.agent.loaded_tools import LoadedTools
from engine.agent.setup import RunSetup
from engine.agent.timeline import Timeline
from engine.context.builder import Conversation


class GateClosedError(GlassbenchError):
    """A gate that stayed shut: the run ends with this status, before the model is asked."""

    def __init__(self, status: RunStatus, code: str, message: str) -> None:
        super().__init__(message, code=code)
        self.status: RunStatus = status


def pass_gates(setup: RunSetup, timeline: Timeline, conversation: Conversation, loaded: LoadedTools) -> None:
    """Records the verdict of each gate; GateClosedError at the first that stays shut."""
    _limits_left(setup, timeline)
    _context_fits(setup, timeline, conversation, loaded)
    _tools_valid(setup, timeline, loaded)


def _limits_left(setup: RunSetup, timeline: Timeline) -> None:
    used, most = len(timeline.model_steps), setup.limits.max_steps
    if used >= most:
        _close(timeline, "gate-limits", "step_limit", "RUN-LIMIT-001", f"all {most} model steps are used")
    # A run whose calls are used up may still answer: the gate stays open and G4-BUDGET-001 refuses further calls.
    calls = setup.limits.max_calls - len(timeline.calls)
    _open(timeline, "gate-limits", f"step {used + 1} of {most}, {max(calls, 0)} calls left")


def _context_fits(setup: RunSetup, timeline: Timeline, conversation: Conversation, loaded: LoadedTools) -> None:
    try:
        tokens = conversation.check_budget(loaded.texts, step=timeline.next_step)
    except ContextBudgetError as error:
        _close(timeline, "gate-context", "context_failed", error.code, error.message)
    _open(timeline, "gate-context", f"{tokens} of {setup.variant.context_budget} tokens")


def _tools_valid(setup: RunSetup, timeline: Timeline, loaded: LoadedTools) -> None:
    """What is loaded must be what the catalogue gives, schema by schema: for the scene and login state, or for the
    searches that stand in the timeline."""
    match setup.variant.tool_delivery:
        case "scoped":
            valid, wanted = loaded is setup.loaded and setup.opens_with_its_own, "the scene's own"
            detail = f"{len(loaded.tools)} tools of scene {setup.question.scene}"
        case "search":
            valid, wanted = loaded.are(setup.delivered(timeline.steps)), "what its searches found"
            detail = f"the search and {len(loaded.tools) - 1} tools that it found"
        case unknown:
            assert_never(unknown)
    if not valid:
        _close(timeline, "gate-tools", "harness_failed", "RUN-TOOLS-001", f"the tool set isn't {wanted}")
    _open(timeline, "gate-tools", detail)


def _open(timeline: Timeline, guard: str, detail: str) -> None:
    timeline.check(_verdict(timeline.next_step, guard, "allow", None, detail))


def _close(timeline: Timeline, guard: str, status: RunStatus, code: str, detail: str) -> NoReturn:
    timeline.check(_verdict(timeline.next_step, guard, "deny", code, detail))
    raise GateClosedError(status, code, detail)


@lru_cache(maxsize=1024)
def _verdict(step: int, guard: str, verdict: Literal["allow", "deny"], code: str | None, detail: str) -> GuardrailCheck:
    """A verdict of a gate; the runs of a case pass the same ones."""
    return GuardrailCheck(
        point="model_call", step=step, call_id=None, guard=guard, verdict=verdict, code=code, detail=detail
    )
