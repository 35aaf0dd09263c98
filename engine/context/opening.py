"""How every run of a question opens: what the builder decided item by item, and the messages that follow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from dataset.artifacts.artifact import ContextItemRecord, ContextSection
from dataset.artifacts.outside_text import keep
from dataset.canonical import sha256_hex
from dataset.measures.fence import fenced
from dataset.questions.prompt import PROMPT_MARKER, Prompt
from dataset.questions.question import Question
from dataset.questions.variant import ContextStrategy as StrategyName
from dataset.questions.variant import Variant
from dataset.record import Locale
from engine.context.full import Full
from engine.context.interface import ContextStrategy, Decision
from engine.context.item import Area, ContextItem, session_item
from engine.context.message import Message
from engine.context.token_counter import COUNTER_VERSION, count_tokens

MESSAGE_OVERHEAD = 8
"""Tokens added for each message: role and delimiters of a chat template, on the high side."""
STRATEGIES: Mapping[StrategyName, ContextStrategy] = {"full": Full()}


@dataclass(frozen=True, kw_only=True, slots=True)
class Opening:
    """The opening messages with their tokens, and the context section before any step."""

    messages: tuple[Message, ...]
    tokens: int
    section: ContextSection


@lru_cache(maxsize=512)
def opening(question: Question, prompt: Prompt, variant: Variant) -> Opening:
    """The opening of every run of these three; ContextBudgetError where it doesn't fit the variant's budget.

    It is worked out once: repeats and models share it.
    """
    items = opening_items(question, prompt, variant.locale)
    decisions = STRATEGIES[variant.context_strategy].decide(items, budget=variant.context_budget)
    given = [(d.item, d.working_text) for d in decisions if d.working_text is not None]
    instructions = [text for item, text in given if item.instructs]
    data = [_data_message(item, text) for item, text in given if not item.instructs]
    messages = (Message(role="system", content="\n\n".join(instructions)), *data)
    return Opening(messages=messages, tokens=sum(map(message_tokens, messages)), section=_section(variant, decisions))


def unopened(question: Question, prompt: Prompt, variant: Variant, reason: str) -> ContextSection:
    """The context section of a run that has no opening: every item is omitted, with the reason."""
    items = opening_items(question, prompt, variant.locale)
    return _section(variant, [Decision(item=item, kind="omitted", working_text=None, reason=reason) for item in items])


def prompt_body(text: str) -> str:
    """The system prompt without its first marker line, which is for scanners and never sent."""
    first, _, rest = text.partition("\n")
    return rest.strip() if PROMPT_MARKER in first else text.strip()


def opening_items(question: Question, prompt: Prompt, locale: Locale) -> tuple[ContextItem, ...]:
    """System prompt, session entries in their order, question."""
    system = ContextItem(
        id="system-prompt",
        category="system",
        role="system",
        trust="trusted",
        required=True,
        source=f"prompt {prompt.id} v{prompt.version}",
        text=prompt_body(prompt.text.to(locale)),
    )
    asked = ContextItem(
        id="question",
        category="question",
        role="user",
        trust="trusted",
        required=True,
        source=f"case {question.id} v{question.version}",
        text=question.text.to(locale),
    )
    return (system, *(session_item(item, locale) for item in question.session), asked)


def message_tokens(message: Message) -> int:
    """The tokens of one message, with what a template writes around it."""
    calls = sum(count_tokens(c.name) + count_tokens(c.arguments) + MESSAGE_OVERHEAD for c in message.tool_calls)
    return count_tokens(message.content) + calls + MESSAGE_OVERHEAD


def _section(variant: Variant, decisions: Sequence[Decision]) -> ContextSection:
    records = tuple(map(_item_record, decisions))
    required = [record for record in records if record.required]
    return ContextSection(
        strategy=STRATEGIES[variant.context_strategy].name,
        budget=variant.context_budget,
        counter_version=COUNTER_VERSION,
        original_tokens=sum(record.original_tokens for record in records),
        working_tokens=sum(record.working_tokens for record in records),
        category_counts=dict(sorted(Counter(record.category for record in records).items())),
        items=records,
        required_total=len(required),
        required_kept=sum(1 for record in required if record.decision == "kept"),
        step_tokens=(),
    )


def _data_message(item: ContextItem, text: str) -> Message:
    role = item.role if item.role == "assistant" and item.category == "dialogue" else "user"
    if item.trust == "untrusted":
        return Message(role="user", content=fenced(text, source=item.source or item.id))
    if item.category in ("dialogue", "question"):
        return Message(role=role, content=text)
    return Message(role="user", content=f"[{item.category} {item.id}]\n{text}")


def _item_record(decision: Decision) -> ContextItemRecord:
    item, working = decision.item, decision.working_text
    area: Area = "instruction" if item.instructs and working is not None else "data"
    private = item.category == "system"
    return ContextItemRecord(
        id=item.id,
        category=item.category,
        role=item.role,
        trust=item.trust,
        area=area,
        required=item.required,
        decision=decision.kind,
        reason=decision.reason,
        source=item.source,
        original_tokens=count_tokens(item.text),
        working_tokens=0 if working is None else count_tokens(working),
        sha256=sha256_hex(item.text.encode("utf-8", "surrogatepass")),
        text=None if private else keep(item.text),
    )
