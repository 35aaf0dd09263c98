"""Who stands before whom: ranges of ranks, because a rank that chance decides is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import combinations
from typing import Literal, NamedTuple

from dataset.artifacts.artifact import Count
from dataset.measures.interval import in_text, share
from dataset.measures.statistics.cluster import clusters_of
from dataset.measures.statistics.evidence import MIN_CASES
from dataset.measures.statistics.paired_test import ALPHA, holm, sign_flip
from dataset.record import DecimalText, Record, Slug

Outcomes = Mapping[tuple[str, ...], bool]
"""Whether each valid run passed, by its case and then what else names it."""


class RankedEntry(Record):
    """A model or arm among others. Its rank is `rank_low` to `rank_high`: one more than are significantly better, up to
    as many as aren't significantly worse."""

    id: Slug
    pass_rate: DecimalText | None
    rank_low: Count
    rank_high: Count
    better_than: tuple[Slug, ...]
    """Those that it is significantly better than."""
    tied_with: tuple[Slug, ...]
    """Its tie group: those of which that can't be said, either way."""

    @property
    def ranks(self) -> str:
        """Its range of ranks in text: `2–4`, or `1` where it is only one."""
        return str(self.rank_low) if self.rank_low == self.rank_high else f"{self.rank_low}–{self.rank_high}"


class Ranking(Record):
    """Entries by falling pass rate. Two are tied unless the sign-flip test over the cases that both have, adjusted by
    Holm's method over all pairs of the ranking with at least 10 of them, has a p of at most 0.05.

    Being tied isn't transitive: of three, the first can be better than the third and both tied with the second. So a
    tie group belongs to one entry, and ranks are ranges that may overlap.
    """

    of: Literal["models", "arms"]
    model_key: Slug | None
    """Whose arms; null for the models."""
    entries: tuple[RankedEntry, ...]
    comparisons: Count
    tested: Count
    """Comparisons with enough evidence for a test; all others are ties."""


class _Compared(NamedTuple):
    """Two entries, the first of which did better on the cases that both have, and the p of that."""

    better: str
    worse: str
    p: Decimal


def measure_ranking(
    outcomes: Mapping[str, Outcomes], *, of: Literal["models", "arms"], model_key: str | None
) -> Ranking:
    """The ranking of entries, each with the outcomes of its valid runs."""
    compared = [found for one, two in combinations(outcomes, 2) if (found := _compared(one, two, outcomes))]
    adjusted = holm([found.p for found in compared])
    wins = [(c.better, c.worse) for c, p in zip(compared, adjusted, strict=True) if p <= ALPHA]
    rates = {name: share(sum(found.values()), len(found)) for name, found in outcomes.items()}
    order = sorted(outcomes, key=lambda name: (rates[name] is None, -(rates[name] or 0), name))
    return Ranking(
        of=of,
        model_key=model_key,
        entries=tuple(_entry(name, order, wins, in_text(rates[name])) for name in order),
        comparisons=len(outcomes) * (len(outcomes) - 1) // 2,
        tested=len(compared),
    )


def _compared(one: str, two: str, outcomes: Mapping[str, Outcomes]) -> _Compared | None:
    left, right = outcomes[one], outcomes[two]
    by_case = clusters_of((key[0], passed - right[key]) for key, passed in left.items() if key in right)
    if len(by_case) < MIN_CASES:
        return None
    differences = [cluster.total for cluster in by_case.values()]
    better, worse = (one, two) if sum(differences) >= 0 else (two, one)
    return _Compared(better, worse, sign_flip(differences))


def _entry(name: str, order: Sequence[str], wins: Sequence[tuple[str, str]], rate: str | None) -> RankedEntry:
    worse = {loser for winner, loser in wins if winner == name}
    better = {winner for winner, loser in wins if loser == name}
    return RankedEntry(
        id=name,
        pass_rate=rate,
        rank_low=1 + len(better),
        rank_high=len(order) - len(worse),
        better_than=tuple(other for other in order if other in worse),
        tied_with=tuple(other for other in order if other != name and other not in worse | better),
    )
