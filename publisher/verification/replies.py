"""Whether each recorded reply of a tool is the one that its hash names: computed again, or hashed again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from dataset.artifacts.artifact import Artifact, ToolStep
from dataset.canonical import CanonicalError, content_hash
from dataset.fixtures.fixture import Fixture
from dataset.measures.fence import fenced
from dataset.measures.recorded_call import call_arguments
from dataset.measures.searches import is_search
from dataset.tools.pure_function import PURE_FUNCTIONS, PureReply
from dataset.tools.tool_search import search_seal
from publisher.verification.difference import Difference
from publisher.verification.run_check import shows


def reply_differences(artifact: Artifact) -> Iterator[Difference]:
    """Every tool step whose reply can't be what was answered.

    A reply that a rule rewrote for the model is held to its hash only where it can be computed again: what was frozen
    is no longer in the run. Where the verdicts are withheld any reply may be one of those.
    """
    told = shows(artifact, "guardrail_checks")
    rewritten = _rewritten(artifact) if told else frozenset()
    for position, step in enumerate(artifact.steps):
        if isinstance(step, ToolStep):
            message = _fault(step, rewritten=not told or step.step in rewritten)
            if message:
                yield Difference(place=f"/steps/{position}", expected="", observed="", message=message)


def _rewritten(artifact: Artifact) -> frozenset[int]:
    checks = artifact.guardrail_checks
    return frozenset(check.step for check in checks if check.point == "observation" and check.verdict == "rewrite")


def computed_reply(function: str, arguments: Any) -> PureReply | None:
    """What a pure function gives, None where there is none of this name or these aren't arguments for it."""
    compute = PURE_FUNCTIONS.get(function)
    if compute is None or not isinstance(arguments, dict):
        return None
    try:
        return compute(arguments)
    except Exception:  # the arguments are whatever the file holds, and were never checked against a schema
        return None


def reply_seal(function: str, reply: PureReply) -> str:
    """The hash under which a computed reply is recorded."""
    return content_hash({"function": function, "text": reply.text})


def _fault(step: ToolStep, *, rewritten: bool) -> str | None:
    """What is wrong with the reply of one step."""
    if step.outcome == "refused":
        answered = step.source != "refusal" or step.reply_hash is not None or step.reply_status is not None
        return "a refused call has no reply" if answered else None
    if step.source == "refusal":
        return "an executed call is no refusal"
    text = None if rewritten else _unfenced(step)
    if not rewritten and text is None:
        return "the reply of an untrusted tool is not in its fence"
    if is_search(step) != (step.source == "search"):
        return "the search is answered by searching, and nothing else is"
    if step.source == "search":
        return _searched_fault(step, text)
    if step.source == "pure":
        return _computed_fault(step, text)
    if text is not None and not _is_frozen_as(step, text):
        return "the reply is not the one that its hash names"
    return None


def _unfenced(step: ToolStep) -> str | None:
    """The reply before it was fenced for the model; None where a fence is missing, or the reply is no text."""
    seen = step.result
    if not isinstance(seen, str) or not step.untrusted:
        return seen if isinstance(seen, str) else None
    text = seen.partition("\n")[2].rpartition("\n")[0]
    return text if fenced(text, source=f"tool {step.tool}") == seen else None


def _computed_fault(step: ToolStep, text: str | None) -> str | None:
    # An artifact names the tool, not its function: the hash covers both, so the right one is known by it.
    arguments = call_arguments(step)
    for function in PURE_FUNCTIONS:
        reply = computed_reply(function, arguments)
        if reply is not None and reply_seal(function, reply) == step.reply_hash:
            right = reply.status == step.reply_status and text in (None, reply.text)
            return None if right else "the reply is not what the function gives of these arguments"
    return "no function gives the reply that the hash names"


def _searched_fault(step: ToolStep, text: str | None) -> str | None:
    # What was found can't be told without the catalogue: that is looked at where a report publishes it.
    right = step.reply_status == "ok" and (text is None or search_seal(text) == step.reply_hash)
    return None if right else "the reply is not the one that its hash names"


def _is_frozen_as(step: ToolStep, text: str) -> bool:
    """Whether tool, arguments, status and text have the recorded hash; whether a reply is hostile isn't in a run."""
    fields = {
        "tool": step.tool,
        "tool_version": step.tool_version,
        "arguments": call_arguments(step),
        "status": step.reply_status,
        "reply": text,
    }
    try:
        return any(
            Fixture.model_validate({**fields, "hostile": hostile}).digest() == step.reply_hash
            for hostile in (False, True)
        )
    except (ValidationError, CanonicalError):
        return False
