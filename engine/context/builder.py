"""The only assembler of model input: the opening of a run, and the turns of the loop."""

from __future__ import annotations

from collections.abc import Sequence

from dataset.artifacts.artifact import ContextSection, StepTokens
from dataset.context.interface import UNOPENED, ContextBudgetError
from dataset.context.turn import tools_tokens
from dataset.context.wire_text import wire_arguments, wire_text
from dataset.questions.prompt import Prompt
from dataset.questions.question import Question
from dataset.questions.variant import Variant
from engine.context.message import Message, MessageCall
from engine.context.opening import Opening, message_tokens, opening, unopened


class Conversation:
    """The working context of one run: what the builder decided at the opening, then the turns of the loop.

    Raises ContextBudgetError when it can't be opened within the variant's budget.
    """

    def __init__(self, *, question: Question, prompt: Prompt, variant: Variant) -> None:
        self._entries = (question, prompt, variant)
        self._budget = variant.context_budget
        self._opening: Opening | None = None
        self._messages: list[Message] = []
        self._tokens = 0
        self._step_tokens: list[StepTokens] = []
        self._unopened = "the run ended before its context was built"

    def open(self) -> None:
        """Decides item by item and lays out the opening messages."""
        self._unopened = UNOPENED
        self._opening = opening(*self._entries)
        self._messages = list(self._opening.messages)
        self._tokens = self._opening.tokens

    def add_reply(self, text: str, calls: Sequence[tuple[str, str, str]]) -> None:
        """A reply of the model: its text and its calls as (id, name, raw arguments)."""
        own = tuple(
            MessageCall(id=wire_text(i), name=wire_text(name), arguments=wire_arguments(arguments))
            for i, name, arguments in calls
        )
        self._add(Message(role="assistant", content=wire_text(text), tool_calls=own))

    def add_observation(self, call_id: str, text: str) -> None:
        """What a call gave back, as the model will see it."""
        self._add(Message(role="tool", content=wire_text(text), tool_call_id=wire_text(call_id)))

    def messages(self) -> tuple[Message, ...]:
        """Everything so far, in order."""
        return tuple(self._messages)

    @property
    def request_tokens(self) -> int:
        """The tokens of the call that was checked last."""
        return self._step_tokens[-1].tokens

    def check_budget(self, tool_texts: Sequence[str], *, step: int) -> int:
        """The tokens that the next model call will read, tool schemas included; ContextBudgetError where too many.

        `tool_texts` are the canonical function forms of the loaded tools.
        """
        needed = self._tokens + tools_tokens(tool_texts)
        self._step_tokens.append(StepTokens(step=step, tokens=needed))
        if needed > self._budget:
            raise ContextBudgetError(f"step {step} needs {needed} tokens and the budget is {self._budget}")
        return needed

    def section(self) -> ContextSection:
        """The context section of the artifact. Where it was never opened, every item is omitted, with the reason."""
        section = self._opening.section if self._opening else unopened(*self._entries, self._unopened)
        return section.changed(step_tokens=tuple(self._step_tokens))

    def _add(self, message: Message) -> None:
        self._messages.append(message)
        self._tokens += message_tokens(message)
