"""Pairs of runs that stand at the same place of a batch, and what became of each pair and of each case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from dataset.measures.interval import in_text
from dataset.measures.run_facts import WITHDRAWN, RunFacts

Outcome = Literal["won", "lost", "both", "neither", "apart"]
"""Only the right run passed · only the left one · both · neither · a side is invalid or missing."""
Standing = Literal["won", "lost", "tied", "apart"]
STANDINGS: tuple[Standing, ...] = ("won", "lost", "tied", "apart")
"""What became of a case: the right side passed more of its pairs · the left one · as many · none can be compared."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Pairing:
    """Two runs of the same case and repeat; null where a side has no such run."""

    case_id: str
    left_variant: str
    right_variant: str
    repeat: int
    left: RunFacts | None
    right: RunFacts | None

    @property
    def outcome(self) -> Outcome:
        """What became of it."""
        left, right = _passed(self.left), _passed(self.right)
        if left is None or right is None:
            return "apart"
        if left != right:
            return "won" if right else "lost"
        return "both" if right else "neither"

    @property
    def whole(self) -> bool:
        """Whether both runs are there, whatever became of them."""
        return self.left is not None and self.right is not None


@dataclass(frozen=True, kw_only=True, slots=True)
class CaseOutcome:
    """All pairs of one case."""

    case_id: str
    pairings: tuple[Pairing, ...]

    @property
    def won(self) -> int:
        """Pairs of which only the right run passed."""
        return sum(pairing.outcome == "won" for pairing in self.pairings)

    @property
    def lost(self) -> int:
        """Pairs of which only the left run passed."""
        return sum(pairing.outcome == "lost" for pairing in self.pairings)

    @property
    def standing(self) -> Standing:
        """What became of the case."""
        if all(pairing.outcome == "apart" for pairing in self.pairings):
            return "apart"
        return "tied" if self.won == self.lost else "won" if self.won > self.lost else "lost"


@dataclass(frozen=True, kw_only=True, slots=True)
class Tally:
    """How many pairs came out how. `withdrawn` and `missing` are among `apart`.

    `worst` and `best` are the difference of pass rates over all pairs if every run that is invalid or missing had come
    out against the right side, and for it; null without a pair.
    """

    planned: int
    won: int
    lost: int
    both: int
    neither: int
    apart: int
    withdrawn: int
    missing: int
    worst: str | None
    best: str | None

    @property
    def pairs(self) -> int:
        """Pairs that are valid on both sides."""
        return self.planned - self.apart


def tally_of(pairings: Sequence[Pairing]) -> Tally:
    """The counts of some pairs."""
    outcomes = [pairing.outcome for pairing in pairings]
    return Tally(
        planned=len(pairings),
        won=outcomes.count("won"),
        lost=outcomes.count("lost"),
        both=outcomes.count("both"),
        neither=outcomes.count("neither"),
        apart=outcomes.count("apart"),
        withdrawn=sum(_is_withdrawn(pairing.left) or _is_withdrawn(pairing.right) for pairing in pairings),
        missing=sum(not pairing.whole for pairing in pairings),
        worst=_bound(pairings, for_left=True, for_right=False),
        best=_bound(pairings, for_left=False, for_right=True),
    )


def case_outcomes(pairings: Sequence[Pairing]) -> tuple[CaseOutcome, ...]:
    """The pairs by case, in the order in which cases come first."""
    found: dict[str, list[Pairing]] = {}
    for pairing in pairings:
        found.setdefault(pairing.case_id, []).append(pairing)
    return tuple(CaseOutcome(case_id=case_id, pairings=tuple(own)) for case_id, own in found.items())


def _passed(run: RunFacts | None) -> bool | None:
    return None if run is None or run.verdict == "invalid" else run.verdict == "pass"


def _is_withdrawn(run: RunFacts | None) -> bool:
    return run is not None and run.invalid_reason == WITHDRAWN


def _bound(pairings: Sequence[Pairing], *, for_left: bool, for_right: bool) -> str | None:
    if not pairings:
        return None
    total = 0
    for pairing in pairings:
        left, right = _passed(pairing.left), _passed(pairing.right)
        total += (for_right if right is None else right) - (for_left if left is None else left)
    return in_text(Decimal(total) / len(pairings))
