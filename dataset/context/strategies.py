"""The strategy of a variant, by the name that the bank gives it."""

from __future__ import annotations

from typing import assert_never

from dataset.context.budgeted import Budgeted
from dataset.context.full import Full
from dataset.context.interface import ContextStrategy
from dataset.context.recent_n import RecentN
from dataset.context.single_summary import SingleSummary
from dataset.questions.variant import Variant


def strategy_of(variant: Variant) -> ContextStrategy:
    """What decides the context of a variant's runs."""
    match variant.context_strategy:
        case "full":
            return Full()
        case "recent-n":
            return RecentN(window=variant.context_window or 1)
        case "single-summary":
            return SingleSummary()
        case "budgeted":
            return Budgeted()
        case unknown:
            assert_never(unknown)
