"""Tests of two arms on the same cases, their adjustment, and what they could have found."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from math import fsum

from dataset.measures.interval import Z_95
from dataset.measures.statistics.cluster import decimal_of

ALPHA = Decimal("0.05")
Z_80 = Decimal("0.841621233572914")
"""The 0.8 quantile of the standard normal distribution: a power of 80 %."""


def mcnemar(only_baseline: int, only_treatment: int) -> Decimal:
    """The two-sided p of the exact McNemar test: twice the smaller tail of a fair coin over discordant pairs.

    McNemar, Q. (1947), "Note on the sampling error of the difference between correlated proportions or percentages",
    Psychometrika 12:153-157. Pairs count as independent. 1 without a discordant pair.
    """
    discordant, fewer = only_baseline + only_treatment, min(only_baseline, only_treatment)
    ways = tail = 1
    for taken in range(fewer):
        ways = ways * (discordant - taken) // (taken + 1)
        tail += ways
    return decimal_of(min(Fraction(1), Fraction(2 * tail, 2**discordant)))


def sign_flip(differences: Sequence[int]) -> Decimal:
    """The two-sided p of the sign-flip test: the share of all ways to swap the arms of whole cases whose sum of
    differences is as far from 0 as the one found. A difference is that of the passes of one case.

    Fisher, R. A. (1935), "The Design of Experiments", section 21; by whole clusters as in Winkler et al. (2015),
    "Multi-level block permutation", NeuroImage 123:253-268. The whole distribution is made, case by case, so there's no
    sampling error; one pair a case makes it the exact McNemar test.
    """
    found = abs(sum(differences))
    return _as_far(tuple(abs(difference) for difference in differences if difference), found) if found else Decimal(1)


@lru_cache(maxsize=4096)
def _as_far(sizes: tuple[int, ...], found: int) -> Decimal:
    """A large board tests thousands of pairs, of which many differ alike."""
    import numpy as np

    span = sum(sizes)
    # Halving is exact and each addition rounds alike on every machine, so the result is the same everywhere.
    chances = np.zeros(2 * span + 1)
    chances[span], reach = 1.0, 0
    for size in sizes:
        low, high = span - reach, span + reach + 1
        half = chances[low:high] / 2
        chances[low:high] = 0
        chances[low - size : high - size] += half
        chances[low + size : high + size] += half
        reach += size
    return Decimal(min(1.0, 2 * fsum(chances[: span - found + 1].tolist())))


def holm(p_values: Sequence[Decimal]) -> list[Decimal]:
    """Each p adjusted for how many there are, in the order given; none is more than 1.

    Holm, S. (1979), "A simple sequentially rejective multiple test procedure", Scand. J. Statistics 6:65-70.
    """
    adjusted, highest = list(p_values), Decimal(0)
    for rank, at in enumerate(sorted(range(len(p_values)), key=lambda at: p_values[at])):
        highest = max(highest, min(Decimal(1), p_values[at] * (len(p_values) - rank)))
        adjusted[at] = highest
    return adjusted


def minimum_detectable(discordance: Decimal, pairs: Decimal, *, z_power: Decimal = Z_80) -> Decimal | None:
    """The least difference of pass rates that a two-sided McNemar test at 5 % finds with that power, where
    `discordance` is the share of pairs that differ.

    Connett, Smith and McHugh (1987), "Sample size and power for pair-matched case-control studies", Statistics in
    Medicine 6:53-59: n = (z_alpha sqrt(q) + z_beta sqrt(q - d²))² / d², solved for d. At least as many pairs as the
    difference must differ: where d would be more than q, q = d is assumed, all differing pairs in one direction. None
    with so few pairs that even a difference of 1 would be missed.
    """
    with localcontext() as context:
        context.prec = 34
        scale, ahead = pairs + z_power * z_power, Z_95 * Z_95 - z_power * z_power
        if pairs <= Z_95 * Z_95:
            return None
        alpha = Z_95 * (pairs * discordance).sqrt()
        least = (alpha + (alpha * alpha - scale * discordance * ahead).sqrt()) / scale
        if least <= discordance:
            return least
        cross = Z_95 * z_power
        agreeing = ((cross * cross - scale * (Z_95 * Z_95 - pairs)).sqrt() - cross) / scale
        return 1 - agreeing * agreeing
