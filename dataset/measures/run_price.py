"""What a hundred tasks cost, and what each that is passed costs: the cost of a group of runs, brought to the same
number for every group."""

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
    return _quotient(Decimal(cost) * TASKS, measures.recorded)


def cost_per_pass(measures: GroupMeasures) -> DecimalText | None:
    """cost / passed, in the currency of the group, to at most twelve significant digits: the runs that failed were paid
    for too. None where the cost isn't known or nothing passed."""
    cost = measures.metrics["cost"]
    return None if cost is None or not measures.passed else _quotient(Decimal(cost), measures.passed)


def _quotient(amount: Decimal, count: int) -> DecimalText:
    value = _DIGITS.divide(amount, Decimal(count))
    return format(value.normalize(_DIGITS) if value else Decimal(0), "f")
