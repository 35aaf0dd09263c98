"""What becomes of a case that is tried k times: passed at least once (pass@k), or every time (pass^k)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from math import comb

from dataset.artifacts.artifact import Count
from dataset.measures.interval import in_text
from dataset.measures.statistics.cluster import Cluster, decimal_of
from dataset.measures.statistics.evidence import Withheld
from dataset.record import DecimalText, Record


class RepeatStatistics(Record):
    """Both for one k; null where `withheld` says so."""

    k: Count
    pass_at_k: DecimalText | None
    """Mean over cases of the chance that at least one of k tries passes."""
    pass_hat_k: DecimalText | None
    """Mean over cases of the chance that all of k tries pass (pass^k)."""
    withheld: Withheld | None


def measure_repeats(units: Sequence[Cluster], *, planned: int, repeats: int) -> tuple[RepeatStatistics, ...]:
    """For every k up to the planned repeats. A unit is a case (of one variant) with its valid runs; where a planned
    one has fewer than k of them, that k is withheld."""
    fewest = min((unit.runs for unit in units), default=0) if len(units) == planned else 0
    return tuple(_measure(units, k) if k <= fewest else _withheld(k) for k in range(1, repeats + 1))


def pass_at_k(units: Sequence[Cluster], k: int) -> Decimal:
    """The mean of 1 - C(n - c, k) / C(n, k) over units with n ≥ k tries of which c passed.

    The unbiased estimator of Chen et al. (2021), "Evaluating Large Language Models Trained on Code", eq. 1.
    """
    return _mean(units, lambda unit: 1 - Fraction(comb(unit.runs - unit.total, k), comb(unit.runs, k)))


def pass_hat_k(units: Sequence[Cluster], k: int) -> Decimal:
    """The mean of C(c, k) / C(n, k) over units with n ≥ k tries of which c passed.

    Yao et al. (2024), "τ-bench: A Benchmark for Tool-Agent-User Interaction in Real-World Domains".
    """
    return _mean(units, lambda unit: Fraction(comb(unit.total, k), comb(unit.runs, k)))


def _mean(units: Sequence[Cluster], chance: Callable[[Cluster], Fraction]) -> Decimal:
    alike = Counter(units)
    return decimal_of(sum((chance(unit) * times for unit, times in alike.items()), Fraction(0)) / len(units))


def _measure(units: Sequence[Cluster], k: int) -> RepeatStatistics:
    return RepeatStatistics(
        k=k, pass_at_k=in_text(pass_at_k(units, k)), pass_hat_k=in_text(pass_hat_k(units, k)), withheld=None
    )


def _withheld(k: int) -> RepeatStatistics:
    return RepeatStatistics(k=k, pass_at_k=None, pass_hat_k=None, withheld="missing-repeats")
