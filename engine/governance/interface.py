"""A governance rule: it looks at one call (or one observation) and says allow, deny or rewrite, with a stable code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from dataset.tools.arguments import ParsedArguments
from dataset.tools.catalogue import Catalogue
from dataset.tools.scene import LoginState
from dataset.tools.tool import Tool

GuardName = Literal["G0", "G1", "G2", "G3", "G4", "G5", "G6", "G7"]


@dataclass(frozen=True, kw_only=True, slots=True)
class CallBudget:
    """What is left when a call is made."""

    calls_made: int
    """Calls of the catalogue's tools so far; for a search, the searches so far."""
    max_calls: int
    steps_left: int
    """Model steps that may still follow this one."""
    identical_executed: int
    """How often the same tool with the same arguments was already executed in this run."""
    max_identical: int


@dataclass(frozen=True, kw_only=True, slots=True)
class CallView:
    """One call as the rules see it. `tool` is None where the catalogue has no such name."""

    name: str
    arguments: ParsedArguments
    tool: Tool | None
    visible: frozenset[str]
    login_state: LoginState
    catalogue: Catalogue
    budget: CallBudget


@dataclass(frozen=True, kw_only=True, slots=True)
class Observation:
    """What a tool gave back, before the model sees it."""

    tool: Tool
    text: str
    max_tokens: int


@dataclass(frozen=True, kw_only=True, slots=True)
class RuleVerdict:
    """`code` is set on deny and rewrite; `text` on rewrite only."""

    guard: GuardName
    verdict: Literal["allow", "deny", "rewrite"]
    code: str | None
    detail: str
    text: str | None = None


def allow(guard: GuardName, detail: str) -> RuleVerdict:
    """Nothing against it."""
    return RuleVerdict(guard=guard, verdict="allow", code=None, detail=detail)


def deny(guard: GuardName, code: str, detail: str) -> RuleVerdict:
    """Refused, with the stable code that says why."""
    return RuleVerdict(guard=guard, verdict="deny", code=code, detail=detail)


class CallRule(Protocol):
    """Checks a call before anything runs. Pure: no I/O, clock or randomness."""

    guard: GuardName

    def check(self, call: CallView) -> RuleVerdict:
        """The verdict on one call."""
        ...


class ObservationRule(Protocol):
    """Checks what came back before the model sees it."""

    guard: GuardName

    def check(self, observation: Observation) -> RuleVerdict:
        """The verdict on one observation."""
        ...
