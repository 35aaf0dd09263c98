"""What an assertion measures: a pure function from the recorded evidence of a run to one value in text.

The judge and `verify` call the same functions, so an observation can be re-derived from a published artifact alone.
A subject is a JSON object with `measure` and the parameters of that measure:

| measure | parameters | observed |
|---|---|---|
| `tool_calls` | `tool`, `arguments` (name → allowed values), `outcome` | number of matching calls |
| `calls_outside` | `tools` | number of attempted calls to any other tool; searches of the catalogue are none |
| `call_order` | `calls` (list of `tool`, `arguments`) | `in order` or `out of order` |
| `call_count` | – | number of attempted calls; searches of the catalogue are none |
| `answer_given` | – | 1 where the final answer isn't empty, else 0 |
| `answer_mentions` | `any_of` | number of the wordings that the final answer contains |
| `answer_number` | `value`, `source` | occurrences in the answer, if the source holds it too; else 0 |
| `context_mentions` | `any_of` | number of the wordings that the entries which reached the model contain |
| `corrections` | `code` (or null for all) | number of guardrail corrections of the answer |
| `required_items_lost` | – | number of required context items that weren't kept whole |
| `untrusted_exposed` | – | untrusted items in the instruction area, and untrusted replies that aren't fenced |
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Protocol

from dataset.artifacts.artifact import (
    CaseSection,
    ContextSection,
    GuardrailCheck,
    ResultSection,
    Step,
    ToolStep,
)
from dataset.artifacts.outside_text import shown
from dataset.canonical import canonical_text, read_strict
from dataset.measures.fence import is_fenced
from dataset.measures.numbers import find_numbers
from dataset.measures.searches import is_search
from dataset.measures.text_match import mentioned
from dataset.measures.working_text import trusted_texts, working_texts

Subject = Mapping[str, Any]


class Evidence(Protocol):
    """The sections that observations read; an `Artifact` is one."""

    @property
    def case(self) -> CaseSection: ...  # noqa: D102
    @property
    def context(self) -> ContextSection: ...  # noqa: D102
    @property
    def steps(self) -> Sequence[Step]: ...  # noqa: D102
    @property
    def guardrail_checks(self) -> Sequence[GuardrailCheck]: ...  # noqa: D102
    @property
    def result(self) -> ResultSection: ...  # noqa: D102


def observe(subject: Subject, evidence: Evidence) -> str:
    """What the evidence shows of a subject, in text; KeyError for a measure that doesn't exist."""
    return _MEASURES[subject["measure"]](subject, evidence)


def _tool_steps(evidence: Evidence) -> Iterator[ToolStep]:
    return (step for step in evidence.steps if isinstance(step, ToolStep))


def _calls(evidence: Evidence) -> Iterator[ToolStep]:
    """The calls of the catalogue's tools: searches are how tools are delivered, not what is judged."""
    return (step for step in _tool_steps(evidence) if not is_search(step))


def _matches(step: ToolStep, tool: str, arguments: Mapping[str, Sequence[Any]]) -> bool:
    if step.tool != tool:
        return False
    if not arguments:
        return True
    if step.arguments_parsed is None:
        return False
    given = read_strict(step.arguments_parsed.encode(), allow_floats=True)
    if not isinstance(given, dict):
        return False
    return all(name in given and _one_of(given[name], allowed) for name, allowed in arguments.items())


def _one_of(value: Any, allowed: Sequence[Any]) -> bool:
    if isinstance(value, str):  # the usual case, in which equal and written alike are the same
        return value in allowed
    text = canonical_text(value, allow_floats=True)
    return any(canonical_text(other, allow_floats=True) == text for other in allowed)


def _tool_calls(subject: Subject, evidence: Evidence) -> str:
    outcome = subject["outcome"]
    found = (
        step
        for step in _tool_steps(evidence)
        if outcome in ("attempted", step.outcome) and _matches(step, subject["tool"], subject["arguments"])
    )
    return str(sum(1 for _ in found))


def _calls_outside(subject: Subject, evidence: Evidence) -> str:
    return str(sum(1 for step in _calls(evidence) if step.tool not in subject["tools"]))


def _call_order(subject: Subject, evidence: Evidence) -> str:
    executed = [step for step in _tool_steps(evidence) if step.outcome == "executed"]
    position = -1
    for call in subject["calls"]:
        later = (
            i for i, step in enumerate(executed) if i > position and _matches(step, call["tool"], call["arguments"])
        )
        position = next(later, len(executed))
        if position == len(executed):
            return "out of order"
    return "in order"


def _call_count(subject: Subject, evidence: Evidence) -> str:
    return str(sum(1 for _ in _calls(evidence)))


def _answer_given(subject: Subject, evidence: Evidence) -> str:
    return "1" if evidence.result.answer_outcome == "answered" else "0"


def _answer_mentions(subject: Subject, evidence: Evidence) -> str:
    return str(mentioned(evidence.result.final_output, subject["any_of"]))


def _answer_number(subject: Subject, evidence: Evidence) -> str:
    value = Decimal(subject["value"])
    if subject["source"] == "question":
        sources = [evidence.case.question]
    elif subject["source"] == "context":
        sources = [text for _, text in trusted_texts(evidence.context)]
    else:
        sources = [
            shown(s.result) for s in _tool_steps(evidence) if s.tool == subject["source"] and s.source != "refusal"
        ]
    if not any(_occurrences(text, value) for text in sources):
        return "0"
    return str(_occurrences(evidence.result.final_output, value))


def _context_mentions(subject: Subject, evidence: Evidence) -> str:
    carried = "\n".join(text for _, text in working_texts(evidence.context))
    return str(mentioned(carried, subject["any_of"]))


def _occurrences(text: str, value: Decimal) -> int:
    """How often a text shows a number that equals the value at the value's own precision."""
    unit = Decimal(1).scaleb(int(value.as_tuple().exponent))
    return sum(1 for mention in find_numbers(text) if abs(mention.value - value) < unit / 2)


def _corrections(subject: Subject, evidence: Evidence) -> str:
    checks = (c for c in evidence.guardrail_checks if c.point == "response" and c.verdict == "rewrite")
    return str(sum(len(c.corrections) for c in checks if subject["code"] in (None, c.code)))


def _required_items_lost(subject: Subject, evidence: Evidence) -> str:
    return str(evidence.context.required_total - evidence.context.required_kept)


def _untrusted_exposed(subject: Subject, evidence: Evidence) -> str:
    items = [item for item in evidence.context.items if item.trust == "untrusted" and item.area == "instruction"]
    replies = [
        step
        for step in _tool_steps(evidence)
        if step.untrusted and step.source != "refusal" and not is_fenced(shown(step.result))
    ]
    return str(len(items) + len(replies))


_MEASURES: Mapping[str, Callable[[Subject, Evidence], str]] = {
    "tool_calls": _tool_calls,
    "calls_outside": _calls_outside,
    "call_order": _call_order,
    "call_count": _call_count,
    "answer_given": _answer_given,
    "answer_mentions": _answer_mentions,
    "answer_number": _answer_number,
    "context_mentions": _context_mentions,
    "corrections": _corrections,
    "required_items_lost": _required_items_lost,
    "untrusted_exposed": _untrusted_exposed,
}
MEASURE_NAMES = tuple(_MEASURES)
