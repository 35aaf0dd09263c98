"""How every run of a question opens: what the builder decided item by item, and the messages that follow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from dataset.artifacts.artifact import ContextItemRecord, ContextSection
from dataset.artifacts.outside_text import keep
from dataset.canonical import sha256_hex
from dataset.context.framing import data_messages
from dataset.context.interface import Decision, omitted
from dataset.context.item import ContextItem
from dataset.context.opening_items import opening_items
from dataset.context.strategies import strategy_of
from dataset.context.token_counter import COUNTER_VERSION, count_tokens
from dataset.context.turn import turn_tokens
from dataset.questions.prompt import PROMPT_MARKER, Prompt
from dataset.questions.question import Question
from dataset.questions.variant import Variant
from engine.context.message import Message


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
    items = _items(question, prompt, variant)
    decisions = strategy_of(variant).decide(items, budget=variant.opening_budget)
    instructions = [d.working_text for d in decisions if d.item.instructs and d.working_text is not None]
    data = [Message(role=message.role, content=message.text) for message in data_messages(decisions)]
    messages = (Message(role="system", content="\n\n".join(instructions)), *data)
    return Opening(messages=messages, tokens=sum(map(message_tokens, messages)), section=_section(variant, decisions))


def unopened(question: Question, prompt: Prompt, variant: Variant, reason: str) -> ContextSection:
    """The context section of a run that has no opening: every item is omitted, with the reason."""
    items = _items(question, prompt, variant)
    return _section(variant, [omitted(item, reason) for item in items])


def prompt_body(text: str) -> str:
    """The system prompt without its first marker line, which is for scanners and never sent."""
    first, _, rest = text.partition("\n")
    return rest.strip() if PROMPT_MARKER in first else text.strip()


def message_tokens(message: Message) -> int:
    """The tokens of one message, with what a template writes around it."""
    return turn_tokens(message.content, [(call.name, call.arguments) for call in message.tool_calls])


def _items(question: Question, prompt: Prompt, variant: Variant) -> tuple[ContextItem, ...]:
    body = prompt_body(prompt.text.to(variant.locale))
    return opening_items(question, variant, prompt_text=body, prompt_tokens=count_tokens(body))


def _section(variant: Variant, decisions: Sequence[Decision]) -> ContextSection:
    records = tuple(map(_item_record, decisions))
    required = [record for record in records if record.required]
    return ContextSection(
        strategy=variant.context_strategy,
        budget=variant.context_budget,
        opening_budget=variant.opening_budget,
        counter_version=COUNTER_VERSION,
        original_tokens=sum(record.original_tokens for record in records),
        working_tokens=sum(record.working_tokens for record in records),
        category_counts=dict(sorted(Counter(record.category for record in records).items())),
        items=records,
        required_total=len(required),
        required_kept=sum(1 for record in required if record.decision == "kept"),
        step_tokens=(),
    )


def _item_record(decision: Decision) -> ContextItemRecord:
    item, stand_in = decision.item, decision.stand_in
    private = item.category == "system"
    return ContextItemRecord(
        id=item.id,
        category=item.category,
        role=item.role,
        trust=item.trust,
        area=decision.area,
        required=item.required,
        decision=decision.kind,
        reason=decision.reason,
        source=item.source,
        original_tokens=item.tokens,
        working_tokens=decision.working_tokens,
        sha256=sha256_hex(item.text.encode("utf-8", "surrogatepass")),
        text=None if private else keep(item.text),
        working_text=None if stand_in is None else keep(stand_in),
    )
