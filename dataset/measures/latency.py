"""How long the slow runs of a group take."""

from __future__ import annotations

from collections.abc import Iterable

from dataset.measures.run_facts import RunFacts

_SLOW = 95


def latency_p95(runs: Iterable[RunFacts]) -> int | None:
    """The least latency, in milliseconds, that at least 95 % of the valid runs don't exceed; None without a valid run.

    The nearest-rank percentile, which is always a latency that was seen: of fewer than 20 runs it is the longest.
    """
    ordered = sorted(run.latency_ms for run in runs if run.verdict != "invalid")
    return ordered[-(-len(ordered) * _SLOW // 100) - 1] if ordered else None
