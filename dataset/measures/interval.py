"""Intervals in decimal arithmetic, so that every machine prints the same digits."""

from __future__ import annotations

from decimal import Decimal, localcontext

from dataset.measures.rounding import rounded

Z_95 = Decimal("1.959963984540054")
"""The 0.975 quantile of the standard normal distribution."""
_PLACES = Decimal("0.0001")


def share(part: int, whole: int) -> Decimal | None:
    """part / whole; None where the whole is 0."""
    return Decimal(part) / Decimal(whole) if whole else None


def wilson(passed: int, valid: int) -> tuple[Decimal, Decimal] | None:
    """The 95 % Wilson score interval of a rate; None without a valid run.

    Wilson, E. B. (1927), "Probable inference, the law of succession, and statistical inference", JASA 22:209-212.
    It takes runs as independent: with several repeats of a case it is too narrow.
    """
    if valid == 0:
        return None
    with localcontext() as context:
        context.prec = 34
        n, p, z = Decimal(valid), Decimal(passed) / Decimal(valid), Z_95
        centre = p + z * z / (2 * n)
        spread = z * (p * (1 - p) / n + z * z / (4 * n * n)).sqrt()
        scale = 1 + z * z / n
        return max(Decimal(0), (centre - spread) / scale), min(Decimal(1), (centre + spread) / scale)


def paired_difference(only_treatment: int, only_baseline: int, pairs: int) -> tuple[Decimal, Decimal, Decimal] | None:
    """Difference of two pass rates on the same cases, with its 95 % interval (difference, low, high).

    The interval is the adjusted Wald interval for matched pairs: half a pair is added to each of the four cells, so
    that arms without a single discordant pair don't get an interval of width zero (Agresti, A. and Min, Y. (2005),
    "Simple improved confidence intervals for comparing matched proportions", Statistics in Medicine 24:729-740).
    None with fewer than MIN_PAIRS pairs: that is not enough evidence for a number.
    """
    if pairs < MIN_PAIRS:
        return None
    with localcontext() as context:
        context.prec = 34
        difference = Decimal(only_treatment - only_baseline) / pairs
        n = Decimal(pairs + 2)
        discordant = Decimal(only_treatment + only_baseline + 1)
        centre = Decimal(only_treatment - only_baseline) / n
        spread = Z_95 * (discordant - centre * centre * n).sqrt() / n
        return difference, max(Decimal(-1), centre - spread), min(Decimal(1), centre + spread)


MIN_PAIRS = 10
"""Fewer pairs than this give "not enough evidence" instead of a number."""


def in_text(value: Decimal | None) -> str | None:
    """A rate or score as decimal text with four places, half to even; None stays None."""
    if value is None:
        return None
    shown = rounded(value, _PLACES)
    return format(shown if shown else abs(shown), "f")
