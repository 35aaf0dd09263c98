"""Strategy `full`: everything whole, or a named failure."""

from __future__ import annotations

from collections.abc import Sequence

from dataset.context.framing import laid_out_tokens
from dataset.context.interface import ContextBudgetError, Decision, kept
from dataset.context.item import ContextItem
from dataset.context.item_check import check_items


class Full:
    """Passes every item through unchanged; what doesn't fit fails."""

    name = "full"

    def decide(self, items: Sequence[ContextItem], *, budget: int) -> tuple[Decision, ...]:
        """All kept; ContextBudgetError where they take more than the budget."""
        check_items(items)
        decisions = tuple(kept(item, "fits whole within the budget") for item in items)
        needed = laid_out_tokens(decisions)
        if needed > budget:
            raise ContextBudgetError(f"context needs {needed} tokens and has {budget}; strategy full doesn't truncate")
        return decisions
