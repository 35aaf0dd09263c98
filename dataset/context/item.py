"""One thing that may reach the model: classified, trusted or not, required or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dataset.context.token_counter import count_tokens
from dataset.questions.session import ItemCategory, SessionItem, Trust
from dataset.record import Locale

Area = Literal["instruction", "data"]
"""Where the text of an item stands: among the instructions, or apart from them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ContextItem:
    """An item before any decision. `text` is as written, `tokens` its count; `priority` goes from 0 to 100.

    `answers` and `corrects` are ids of earlier items, as in `dataset.questions.session.SessionItem`.
    """

    id: str
    category: ItemCategory
    role: Literal["system", "user", "assistant"]
    trust: Trust
    required: bool
    source: str
    text: str
    tokens: int
    priority: int = 100
    answers: str | None = None
    corrects: str | None = None

    @property
    def instructs(self) -> bool:
        """Only the system prompt and trusted policy are instructions; everything else is data."""
        return self.category in ("system", "policy") and self.trust == "trusted"

    @property
    def whole(self) -> bool:
        """Whether it must reach the model whole: what is required, and instructions, of which no part can be judged."""
        return self.required or self.instructs


def session_item(item: SessionItem, locale: Locale) -> ContextItem:
    """A session entry in one language."""
    text = item.text.to(locale)
    return ContextItem(
        id=item.id,
        category=item.category,
        role=item.role,
        trust=item.trust,
        required=item.required,
        source=item.source,
        text=text,
        tokens=count_tokens(text),
        priority=item.priority,
        answers=item.answers,
        corrects=item.corrects,
    )
