"""The names under which verdicts are recorded, in the order in which they are given."""

from __future__ import annotations

CONTEXT_GATE = "gate-context"
MODEL_GATES = ("gate-limits", CONTEXT_GATE, "gate-tools")
"""Before every model call."""

CALL_GUARDS = ("G1", "G2", "G3", "G4", "G5", "G6")
"""On every tool call, up to the first that denies."""

OBSERVATION_GUARDS = ("G7", "G7")
"""On every reply of a tool: its size, then what it says."""

BROKEN_GUARD = "G0"
"""Denies in the place of a rule that broke, or of a chain that is empty."""

RESPONSE_GUARDS = ("forbidden_operation", "personal_advice", "number_grounding")
"""On every answer that isn't blank; where one rewrites, they are asked again."""

RESPONSE_CHAIN = "chain"
"""Denies an answer as a whole, where the guards broke."""

QUESTION_SOURCE = "question"
"""How a grounding names the question."""


def context_source(item: str) -> str:
    """How a grounding names an entry of the session: `context:plan-note`."""
    return f"context:{item}"


def reply_source(step: int, tool: str) -> str:
    """How a grounding names the reply of a tool: `step:3:get_quote`."""
    return f"step:{step}:{tool}"
