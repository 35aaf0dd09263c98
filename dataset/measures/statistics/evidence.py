"""When a number is withheld, and why: too little evidence is said in a word, never shown as a figure."""

from __future__ import annotations

from decimal import Decimal
from typing import Literal

from dataset.measures.interval import MIN_PAIRS
from dataset.measures.rounding import rounded

MIN_CASES = MIN_PAIRS
"""Fewer cases than this say nothing about other cases. A case is the unit: its repeats and languages go together."""
MIN_RUNS = MIN_PAIRS
"""Fewer valid runs than this have no standard error."""

Withheld = Literal[
    "no-valid-run",
    "too-few-runs",
    "too-few-cases",
    "too-few-pairs",
    "too-few-variants",
    "missing-repeats",
    "single-repeat",
    "no-variation",
    "beyond-reach",
]
"""Why a number is null."""
REASONS: dict[Withheld, str] = {
    "no-valid-run": "no valid run",
    "too-few-runs": f"not enough evidence: fewer than {MIN_RUNS} valid runs",
    "too-few-cases": f"not enough evidence: fewer than {MIN_CASES} cases",
    "too-few-pairs": f"not enough evidence: fewer than {MIN_PAIRS} pairs",
    "too-few-variants": f"not enough evidence: fewer than {MIN_CASES} variants",
    "missing-repeats": "not enough evidence: a case has fewer valid repeats",
    "single-repeat": "not enough evidence: a case has only one valid run",
    "no-variation": "no variation: nothing differs from case to case, which says nothing of the spread",
    "beyond-reach": "beyond reach: pairs of a case are so much alike that no effect could be found with them",
}

_SIX = Decimal("0.000001")


def six_places(value: Decimal | None) -> str | None:
    """A standard error or p-value as decimal text, half to even. 0.000000 is less than half of the last place."""
    return None if value is None else format(rounded(value, _SIX), "f")
