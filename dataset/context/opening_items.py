"""What a run opens with, before any decision: system prompt, session entries in their order, question."""

from __future__ import annotations

from dataset.context.item import ContextItem, session_item
from dataset.context.token_counter import count_tokens
from dataset.questions.question import Question
from dataset.questions.variant import Variant

SYSTEM_PROMPT = "system-prompt"
"""The id of the item that holds the system prompt."""
QUESTION = "question"
"""The id of the item that holds the question."""


def opening_items(
    question: Question, variant: Variant, *, prompt_text: str, prompt_tokens: int
) -> tuple[ContextItem, ...]:
    """The items of a case in the variant's language.

    No strategy reads the text of the system prompt, which is always whole: who isn't shown it gives its count alone.
    """
    system = ContextItem(
        id=SYSTEM_PROMPT,
        category="system",
        role="system",
        trust="trusted",
        required=True,
        source=f"prompt {variant.prompt} v{variant.prompt_version}",
        text=prompt_text,
        tokens=prompt_tokens,
    )
    text = question.text.to(variant.locale)
    asked = ContextItem(
        id=QUESTION,
        category="question",
        role="user",
        trust="trusted",
        required=True,
        source=f"case {question.id} v{question.version}",
        text=text,
        tokens=count_tokens(text),
    )
    return (system, *(session_item(item, variant.locale) for item in question.session), asked)
