"""What the test of a comparison found, in sentences, and why its interval may seem to say something else."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from dataset.measures.statistics.contrast import ContrastStatistics
from dataset.measures.statistics.paired_test import ALPHA
from publisher.rendering.figures import p_value
from publisher.rendering.language.message import Message, Plural, Sayable


def finding_of(found: ContrastStatistics, *, family: int, differing: int) -> Iterator[Sayable]:
    """The finding with its p; nothing without one. `family` is over how many comparisons it is adjusted, `differing`
    how many cases came out differently: by fewer than it takes, nothing can be significant."""
    if found.significant is None or found.permutation_p is None:
        return
    yield (
        Message("Significant: more than chance.")
        if found.significant
        else Message("Not significant: chance alone may explain it.")
    )
    yield _p(found, found.permutation_p, family)
    least = min(Decimal(1), 2 / Decimal(2) ** differing)
    if found.significant:
        return
    if least * max(1, family) > ALPHA:
        yield _too_few(differing, family)
    if _leaves_out_zero(found):
        yield Message(
            "That the interval leaves out 0 is no contradiction: it is of this pair alone, takes pairs as independent "
            "and is approximate. The test is exact, takes only cases as independent and is adjusted for the number of "
            "comparisons."
        )


def _too_few(differing: int, family: int) -> Sayable:
    if not differing:
        return Message("No case came out differently.")
    if family < 2:
        return Plural(
            "Only one case came out differently: too few to be significant.",
            "Only %(count)s cases came out differently: too few to be significant.",
            differing,
        )
    return Plural(
        "Only one case came out differently: too few to be significant over %(family)s comparisons.",
        "Only %(count)s cases came out differently: too few to be significant over %(family)s comparisons.",
        differing,
        family=family,
    )


def _p(found: ContrastStatistics, alone: str, family: int) -> Sayable:
    if family < 2:
        return Message("%(p)s.", p=p_value(alone))
    if found.permutation_p_holm is not None:
        return Message(
            "%(p)s, adjusted for %(family)s comparisons %(adjusted)s.",
            p=p_value(alone),
            adjusted=p_value(found.permutation_p_holm),
            family=family,
        )
    if found.significant:
        return Message(
            "%(p)s, and at most 0.05 once adjusted for %(family)s comparisons.", p=p_value(alone), family=family
        )
    if Decimal(alone) > ALPHA:
        return Message("%(p)s, before it is adjusted for %(family)s comparisons.", p=p_value(alone), family=family)
    return Message(
        "%(p)s, but more than 0.05 once adjusted for %(family)s comparisons.", p=p_value(alone), family=family
    )


def _leaves_out_zero(found: ContrastStatistics) -> bool:
    if found.difference_low is None or found.difference_high is None:
        return False
    return Decimal(found.difference_low) > 0 or Decimal(found.difference_high) < 0
