"""Why a number isn't shown, in words with the counts that it would need."""

from __future__ import annotations

from dataclasses import dataclass

from dataset.measures.interval import MIN_PAIRS
from dataset.measures.statistics.evidence import MIN_CASES, MIN_RUNS, REASONS, Withheld


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """What there is to judge by; null where it isn't known or plays no part."""

    pairs: int | None = None
    cases: int | None = None
    runs: int | None = None


def withheld_words(reason: Withheld | None, evidence: Evidence) -> str:
    """`not enough evidence (3 pairs, 10 needed)`, or the reason in other words. None: a report tells no reason."""
    found, noun, needed = {
        "too-few-pairs": (evidence.pairs, "pair", MIN_PAIRS),
        "too-few-cases": (evidence.cases, "case", MIN_CASES),
        "too-few-runs": (evidence.runs, "valid run", MIN_RUNS),
    }.get(reason or "too-few-pairs", (None, "", 0))
    if found is not None:
        return f"not enough evidence ({found} {noun if found == 1 else noun + 's'}, {needed} needed)"
    return REASONS[reason] if reason is not None else "not enough evidence"
