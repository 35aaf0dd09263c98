"""One thing that may reach the model: classified, trusted or not, required or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dataset.questions.session import ItemCategory, SessionItem, Trust
from dataset.record import Locale

Area = Literal["instruction", "data"]


@dataclass(frozen=True, kw_only=True, slots=True)
class ContextItem:
    """An item before any decision. `text` is as written; fencing is the builder's."""

    id: str
    category: ItemCategory
    role: Literal["system", "user", "assistant"]
    trust: Trust
    required: bool
    source: str
    text: str

    @property
    def instructs(self) -> bool:
        """Only the system prompt and trusted policy are instructions; everything else is data."""
        return self.category in ("system", "policy") and self.trust == "trusted"


def session_item(item: SessionItem, locale: Locale) -> ContextItem:
    """A session entry in one language."""
    return ContextItem(
        id=item.id,
        category=item.category,
        role=item.role,
        trust=item.trust,
        required=item.required,
        source=item.source,
        text=item.text.to(locale),
    )
