"""What a hundred tasks cost: the cost of a group of runs, brought to the same number of runs for every group."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Context, Decimal

from dataset.measures.group import GroupMeasures
from dataset.record import DecimalText

TASKS = 100
_DIGITS = Context(prec=12, rounding=ROUND_HALF_EVEN)


def cost_per_hundred(measures: GroupMeasures) -> DecimalText | None:
    """cost × 100 / recorded, in the currency of the group, to at most twelve significant digits; None where the cost
    isn't known. Every recorded run was paid for, so an invalid one is counted too."""
    cost = measures.metrics["cost"]
    if cost is None or not measures.recorded:
        return None
    value = _DIGITS.divide(Decimal(cost) * TASKS, Decimal(measures.recorded))
    return format(value.normalize(_DIGITS) if value else Decimal(0), "f")
