"""A context strategy: which items reach the model, in what form, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from dataset.errors import GlassbenchError
from engine.context.item import ContextItem

DecisionKind = Literal["kept", "compressed", "referenced", "omitted"]


class ContextBudgetError(GlassbenchError):
    """The context can't be given whole within its budget; the run fails instead of truncating in silence."""

    code = "CONTEXT-BUDGET-001"


@dataclass(frozen=True, kw_only=True, slots=True)
class Decision:
    """What happens to one item: its working text (None where it doesn't reach the model) and the reason."""

    item: ContextItem
    kind: DecisionKind
    working_text: str | None
    reason: str


class ContextStrategy(Protocol):
    """Deterministic and model-free: the same items and budget give the same decisions."""

    name: str

    def decide(self, items: Sequence[ContextItem], *, budget: int) -> tuple[Decision, ...]:
        """One decision an item, in the items' order. `budget` is in tokens of `engine.context.token_counter`."""
        ...
