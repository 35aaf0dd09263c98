"""The only assembler of model input: system prompt, session, question, and the turns of the loop."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from dataset.artifacts.artifact import ContextItemRecord, ContextSection, StepTokens
from dataset.artifacts.outside_text import keep
from dataset.canonical import canonical_text, sha256_hex
from dataset.measures.fence import fenced
from dataset.questions.prompt import PROMPT_MARKER, Prompt
from dataset.questions.question import Question
from dataset.questions.variant import ContextStrategy as StrategyName
from dataset.questions.variant import Variant
from dataset.record import Locale
from engine.context.full import Full
from engine.context.interface import ContextBudgetError, ContextStrategy, Decision
from engine.context.item import Area, ContextItem, session_item
from engine.context.message import Message, MessageCall
from engine.context.token_counter import COUNTER_VERSION, count_tokens
from engine.context.wire_text import wire_arguments, wire_text

MESSAGE_OVERHEAD = 8
"""Tokens added for each message: role and delimiters of a chat template, on the high side."""
TOOL_OVERHEAD = 16
"""Tokens added for each tool: what a template writes around a schema, on the high side."""

STRATEGIES: Mapping[StrategyName, ContextStrategy] = {"full": Full()}


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


class Conversation:
    """The working context of one run: what the builder decided at the opening, then the turns of the loop.

    Raises ContextBudgetError when it can't be opened within the variant's budget.
    """

    def __init__(self, *, question: Question, prompt: Prompt, variant: Variant) -> None:
        self._budget = variant.context_budget
        self._strategy = STRATEGIES[variant.context_strategy]
        self._items = opening_items(question, prompt, variant.locale)
        self._decisions: tuple[Decision, ...] = ()
        self._messages: list[Message] = []
        self._tokens = 0
        self._step_tokens: list[StepTokens] = []
        self._instructing: set[str] = set()
        self._unopened = "the run ended before its context was built"

    def open(self) -> None:
        """Decides item by item and lays out the opening messages."""
        self._unopened = "context did not fit its budget"
        self._decisions = self._strategy.decide(self._items, budget=self._budget)
        instructions, messages = [], []
        for decision in self._decisions:
            if decision.working_text is None:
                continue
            if decision.item.instructs:
                instructions.append(decision.working_text)
                self._instructing.add(decision.item.id)
            else:
                messages.append(_data_message(decision.item, decision.working_text))
        self._extend(Message(role="system", content="\n\n".join(instructions)), *messages)

    def add_reply(self, text: str, calls: Sequence[tuple[str, str, str]]) -> None:
        """A reply of the model: its text and its calls as (id, name, raw arguments)."""
        own = tuple(
            MessageCall(id=wire_text(i), name=wire_text(name), arguments=wire_arguments(arguments))
            for i, name, arguments in calls
        )
        self._extend(Message(role="assistant", content=wire_text(text), tool_calls=own))

    def add_observation(self, call_id: str, text: str) -> None:
        """What a call gave back, as the model will see it."""
        self._extend(Message(role="tool", content=wire_text(text), tool_call_id=wire_text(call_id)))

    def messages(self) -> tuple[Message, ...]:
        """Everything so far, in order."""
        return tuple(self._messages)

    @property
    def request_tokens(self) -> int:
        """The tokens of the call that was checked last."""
        return self._step_tokens[-1].tokens

    def check_budget(self, tools: Sequence[Mapping[str, Any]], *, step: int) -> int:
        """The tokens that the next model call will read, tool schemas included; ContextBudgetError where too many."""
        tool_tokens = sum(count_tokens(canonical_text(t, allow_floats=True)) + TOOL_OVERHEAD for t in tools)
        needed = self._tokens + tool_tokens
        self._step_tokens.append(StepTokens(step=step, tokens=needed))
        if needed > self._budget:
            raise ContextBudgetError(f"step {step} needs {needed} tokens and the budget is {self._budget}")
        return needed

    def section(self) -> ContextSection:
        """The context section of the artifact. Where it was never opened, every item is omitted, with the reason."""
        decisions = self._decisions or tuple(
            Decision(item=item, kind="omitted", working_text=None, reason=self._unopened) for item in self._items
        )
        records = tuple(
            _item_record(decision, "instruction" if decision.item.id in self._instructing else "data")
            for decision in decisions
        )
        required = [record for record in records if record.required]
        return ContextSection(
            strategy=self._strategy.name,
            budget=self._budget,
            counter_version=COUNTER_VERSION,
            original_tokens=sum(record.original_tokens for record in records),
            working_tokens=sum(record.working_tokens for record in records),
            category_counts=dict(sorted(Counter(record.category for record in records).items())),
            items=records,
            required_total=len(required),
            required_kept=sum(1 for record in required if record.decision == "kept"),
            step_tokens=tuple(self._step_tokens),
        )

    def _extend(self, *messages: Message) -> None:
        self._messages.extend(messages)
        self._tokens += sum(_message_tokens(message) for message in messages)


def _data_message(item: ContextItem, text: str) -> Message:
    role = item.role if item.role == "assistant" and item.category == "dialogue" else "user"
    if item.trust == "untrusted":
        return Message(role="user", content=fenced(text, source=item.source or item.id))
    if item.category in ("dialogue", "question"):
        return Message(role=role, content=text)
    return Message(role="user", content=f"[{item.category} {item.id}]\n{text}")


def _message_tokens(message: Message) -> int:
    calls = sum(count_tokens(c.name) + count_tokens(c.arguments) + MESSAGE_OVERHEAD for c in message.tool_calls)
    return count_tokens(message.content) + calls + MESSAGE_OVERHEAD


def _item_record(decision: Decision, area: Area) -> ContextItemRecord:
    item, working = decision.item, decision.working_text
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
