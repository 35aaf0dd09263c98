"""Why a number isn't shown, in words with the counts that it would need."""

from __future__ import annotations

from dataclasses import dataclass

from dataset.measures.interval import MIN_PAIRS
from dataset.measures.statistics.evidence import MIN_CASES, MIN_RUNS, REASONS, Withheld
from publisher.rendering.language.message import Message, Plural, Sayable


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """What there is to judge by; null where it isn't known or plays no part."""

    pairs: int | None = None
    cases: int | None = None
    runs: int | None = None


def withheld_words(reason: Withheld | None, evidence: Evidence) -> Sayable:
    """`not enough evidence (3 pairs, 10 needed)`, or the reason in other words. None: a report tells no reason."""
    match reason or "too-few-pairs":
        case "too-few-pairs" if evidence.pairs is not None:
            return Plural(
                "not enough evidence (one pair, %(needed)s needed)",
                "not enough evidence (%(count)s pairs, %(needed)s needed)",
                evidence.pairs,
                needed=MIN_PAIRS,
            )
        case "too-few-cases" if evidence.cases is not None:
            return Plural(
                "not enough evidence (one case, %(needed)s needed)",
                "not enough evidence (%(count)s cases, %(needed)s needed)",
                evidence.cases,
                needed=MIN_CASES,
            )
        case "too-few-runs" if evidence.runs is not None:
            return Plural(
                "not enough evidence (one valid run, %(needed)s needed)",
                "not enough evidence (%(count)s valid runs, %(needed)s needed)",
                evidence.runs,
                needed=MIN_RUNS,
            )
    return Message("not enough evidence") if reason is None else Message(REASONS[reason])
