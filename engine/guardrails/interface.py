"""What an output guardrail is given, and what it says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from dataset.measures.guard_order import context_source, reply_source
from dataset.record import Locale


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """One tool result of the run, as the model saw it."""

    step: int
    tool: str
    text: str

    @property
    def source(self) -> str:
        """How a grounding names it: `step:3:get_quote`."""
        return reply_source(self.step, self.tool)


@dataclass(frozen=True, kw_only=True, slots=True)
class ContextEvidence:
    """One trusted entry of the session, as the model saw it. What isn't trusted is no source of figures."""

    item: str
    text: str

    @property
    def source(self) -> str:
        """How a grounding names it: `context:plan-note`."""
        return context_source(self.item)


@dataclass(frozen=True, kw_only=True, slots=True)
class AnswerContext:
    """What an answer is checked against. `locale` is the case's; the answer may be in another language."""

    locale: Locale
    question: str
    tool_results: tuple[Evidence, ...]
    session: tuple[ContextEvidence, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Correction:
    """One change; `start` and `end` are offsets of `original` in the text that the guard was given."""

    guard: str
    code: str
    original: str
    replacement: str
    start: int
    end: int
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Grounding:
    """A number of the answer as shown, its value in canonical text, and where it comes from.

    `source` is `question`, `step:N:tool` or `context:item`, `source_text` the number as it stands there.
    """

    number: str
    value: str
    source: str
    source_text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class GuardOutcome:
    """The verdict of one guard; `code` is None on allow, `text` is the answer after it. Only the chain denies."""

    guard: str
    verdict: Literal["allow", "rewrite", "deny"]
    code: str | None
    text: str
    detail: str = ""
    corrections: tuple[Correction, ...] = ()
    groundings: tuple[Grounding, ...] = ()


class OutputGuard(Protocol):
    """A pure rule on a final answer."""

    @property
    def name(self) -> str:
        """The name under which its verdicts are recorded."""

    def check(self, answer: str, context: AnswerContext) -> GuardOutcome:
        """The answer allowed, or rewritten with each change listed.

        What a correction leaves behind may read differently from before; the chain asks again until nothing changes.
        """
