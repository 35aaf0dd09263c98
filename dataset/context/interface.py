"""A context strategy: which items reach the model, in what form, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from dataset.context.item import Area, ContextItem
from dataset.context.token_counter import count_tokens
from dataset.errors import GlassbenchError

DecisionKind = Literal["kept", "compressed", "referenced", "omitted"]
UNOPENED = "context did not fit its budget"
"""The reason of every item where what must reach the model doesn't fit."""
"""Whole, in a shorter form, named by its source alone, left out: in the order in which they are told."""


class ContextBudgetError(GlassbenchError):
    """The context can't be given whole within its budget; the run fails instead of truncating in silence."""

    code = "CONTEXT-BUDGET-001"


@dataclass(frozen=True, kw_only=True, slots=True)
class Decision:
    """What happens to one item: its working text (None where it doesn't reach the model), its tokens, the reason.

    `merged` working texts stand together in one message, in the place of the first of them.
    """

    item: ContextItem
    kind: DecisionKind
    working_text: str | None
    working_tokens: int
    reason: str
    merged: bool = False

    @property
    def area(self) -> Area:
        """Where its text reaches the model; `data` for what doesn't."""
        return "instruction" if self.item.instructs and self.working_text is not None else "data"

    @property
    def stand_in(self) -> str | None:
        """The text that the model reads in place of the item's own; None where it reads that, or nothing."""
        return None if self.kind == "kept" else self.working_text


def kept(item: ContextItem, reason: str) -> Decision:
    """The item whole, as it was written."""
    return Decision(item=item, kind="kept", working_text=item.text, working_tokens=item.tokens, reason=reason)


def omitted(item: ContextItem, reason: str) -> Decision:
    """The item left out."""
    return Decision(item=item, kind="omitted", working_text=None, working_tokens=0, reason=reason)


def compressed(item: ContextItem, text: str, reason: str, *, merged: bool = False) -> Decision:
    """The item in a shorter form."""
    tokens = count_tokens(text)
    return Decision(
        item=item, kind="compressed", working_text=text, working_tokens=tokens, reason=reason, merged=merged
    )


def referenced(item: ContextItem, text: str, reason: str) -> Decision:
    """The item's source in place of the item; such lines stand together."""
    tokens = count_tokens(text)
    return Decision(item=item, kind="referenced", working_text=text, working_tokens=tokens, reason=reason, merged=True)


class ContextStrategy(Protocol):
    """Deterministic and model-free: the same items and budget give the same decisions, on every machine."""

    name: str

    def decide(self, items: Sequence[ContextItem], *, budget: int) -> tuple[Decision, ...]:
        """One decision an item, in the items' order, that together take at most `budget` tokens as laid out.

        What they take is `dataset.context.framing.laid_out_tokens`. ContextBudgetError where what must reach the model
        whole doesn't fit; ContextItemError for items that can't be decided on (see `dataset.context.item_check`).
        """
        ...
