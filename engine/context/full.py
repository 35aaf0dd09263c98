"""Strategy `full`: everything whole, or a named failure."""

from __future__ import annotations

from collections.abc import Sequence

from engine.context.interface import ContextBudgetError, Decision
from engine.context.item import ContextItem
from engine.context.token_counter import count_tokens


class Full:
    """Passes every item through unchanged; what doesn't fit fails."""

    name = "full"

    def decide(self, items: Sequence[ContextItem], *, budget: int) -> tuple[Decision, ...]:
        """All kept; ContextBudgetError where their tokens pass the budget."""
        needed = sum(count_tokens(item.text) for item in items)
        if needed > budget:
            raise ContextBudgetError(f"context needs {needed} tokens and has {budget}; strategy full doesn't truncate")
        return tuple(
            Decision(item=item, kind="kept", working_text=item.text, reason="fits whole within the budget")
            for item in items
        )
