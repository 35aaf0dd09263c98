"""Runs that belong together, and the standard errors of a mean over them. Exact until the one square root."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from typing import NamedTuple

_DIGITS = Context(prec=34)


class Cluster(NamedTuple):
    """The runs of one case: how many, and the sum of their outcomes (passes, or differences of passes)."""

    total: int
    runs: int


def run_stderr(passed: int, valid: int) -> Decimal | None:
    """The standard error of a pass rate whose runs are independent: sqrt(p (1 - p) / (n - 1)); None under two runs.

    The sample deviation with n - 1 over the root of n: Miller, E. (2024), "Adding Error Bars to Evals", as the
    `stderr` metric of Inspect has it.
    """
    if valid < 2:
        return None
    return root(Fraction(passed * (valid - passed), valid * valid * (valid - 1)))


def clustered_stderr(clusters: Sequence[Cluster]) -> Decimal | None:
    """The standard error of the mean outcome of a run where only clusters are independent; None under two clusters.

    The sum over clusters of (sum of deviations)² over n², times G / (G - 1): Liang and Zeger (1986), "Longitudinal data
    analysis using generalized linear models", Biometrika 73:13-22, with the usual correction for the number of
    clusters; Miller (2024). With one run a cluster it is the standard error of independent runs.
    """
    groups = len(clusters)
    if groups < 2:
        return None
    total, count = sum(c.total for c in clusters), sum(c.runs for c in clusters)
    squares = sum((c.total * count - total * c.runs) ** 2 for c in clusters)
    return root(Fraction(squares * groups, (groups - 1) * count**4))


def mean_stderr_within(variances: Sequence[Fraction | Decimal]) -> Decimal:
    """The standard error of an unweighted mean of groups that were all looked at: sqrt(sum of se²) / G.

    Groups are fixed and their errors independent: stratified sampling with equal weights, Cochran (1977), "Sampling
    Techniques", chapter 5.
    """
    total = sum((Fraction(variance) for variance in variances), Fraction(0))
    return root(total / len(variances) ** 2)


def mean_stderr_between(means: Sequence[Fraction]) -> Decimal | None:
    """The standard error of an unweighted mean of groups that stand for others like them: their sample deviation
    (G - 1) over sqrt(G); None under two groups. It holds the errors within the groups too (Cochran 1977, ch. 10)."""
    groups = len(means)
    if groups < 2:
        return None
    mean = sum(means, Fraction(0)) / groups
    return root(sum(((m - mean) ** 2 for m in means), Fraction(0)) / (groups * (groups - 1)))


def clusters_of(outcomes: Iterable[tuple[str, int]]) -> dict[str, Cluster]:
    """The clusters of outcomes that are told with their case, ordered by case."""
    found: dict[str, Cluster] = {}
    for case, outcome in outcomes:
        total, count = found.get(case, (0, 0))
        found[case] = Cluster(total + outcome, count + 1)
    return dict(sorted(found.items()))


def decimal_of(value: Fraction) -> Decimal:
    """A ratio in decimal, to 34 digits."""
    with localcontext(_DIGITS):
        return Decimal(value.numerator) / Decimal(value.denominator)


def root(value: Fraction) -> Decimal:
    """The square root of a ratio, to 34 digits."""
    with localcontext(_DIGITS):
        return (Decimal(value.numerator) / Decimal(value.denominator)).sqrt()
