"""Where a reader of one run or one case goes on to: the pages that put its runs beside others of the same batch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from dataset.measures.run_facts import RunFacts
from dataset.record import BatchId
from publisher.rendering.compare.matchup import Matchup, Matchups
from publisher.rendering.compare.pairing import Pairing
from publisher.rendering.page_names import beside_page

MOST_PAIRS = 120
"""Pairs that the page of a case lists; of any other the pages of its runs know."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PairedRun:
    """A run that a comparison of its batch pairs with the run in question: the same case and repeat.

    `model` is the name of the other run's model where that is what is compared, empty for another arm of the same
    model. `first` says that the run in question is the left one.
    """

    run: RunFacts
    model: str
    comparison: str
    first: bool

    def beside(self, run_id: str) -> str:
        """The page of both; `run_id` is the run in question."""
        return beside_page(run_id, self.run.run_id) if self.first else beside_page(self.run.run_id, run_id)


def paired_runs(found: Matchups) -> Mapping[str, tuple[PairedRun, ...]]:
    """By run id, every run that it is paired with: in the order of the comparisons, each once."""
    paired: dict[str, dict[str, PairedRun]] = {}
    for matchup in found.all:
        page, models = matchup.page, matchup.contrast is None
        for pairing in matchup.pairings:
            left, right = pairing.left, pairing.right
            if left is None or right is None:
                continue
            for own, other, side in ((left, right, matchup.right), (right, left, matchup.left)):
                link = PairedRun(
                    run=other,
                    model=side.model.display_name if models else "",
                    comparison=page,
                    first=own is left,
                )
                paired.setdefault(own.run_id, {}).setdefault(other.run_id, link)
    return {run_id: tuple(links.values()) for run_id, links in paired.items()}


@dataclass(frozen=True, kw_only=True, slots=True)
class ComparedCase:
    """The whole pairs that one comparison has of a case, or some of them."""

    matchup: Matchup
    pairings: tuple[Pairing, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class PairsOfCase:
    """The pairs of a case: `parted` came out differently on both sides, `alike` didn't; `further` aren't listed."""

    parted: tuple[ComparedCase, ...]
    alike: tuple[ComparedCase, ...]
    further: int

    @property
    def alike_count(self) -> int:
        """How many of those that are listed came out alike."""
        return sum(len(compared.pairings) for compared in self.alike)


ComparedCases = Mapping[tuple[BatchId, str], Sequence[ComparedCase]]


def compared_cases(batches: Sequence[Matchups]) -> ComparedCases:
    """Every comparison of each batch and case: models against each other first, since that is what most ask."""
    cases: dict[tuple[BatchId, str], list[ComparedCase]] = {}
    for found in batches:
        for matchup in (*found.models, *found.contrasts):
            own: dict[str, list[Pairing]] = {}
            for pairing in matchup.pairings:
                if pairing.whole:
                    own.setdefault(pairing.case_id, []).append(pairing)
            for case_id, pairings in own.items():
                compared = ComparedCase(matchup=matchup, pairings=tuple(pairings))
                cases.setdefault((found.batch.report.batch_id, case_id), []).append(compared)
    return cases


def pairs_of_case(compared: Sequence[ComparedCase]) -> PairsOfCase:
    """What a page lists of the pairs of a case: first those that came out differently."""
    parted = [_only(one, ("won", "lost")) for one in compared]
    alike = [_only(one, ("both", "neither", "apart")) for one in compared]
    shown = list(_first(parted, MOST_PAIRS))
    room = MOST_PAIRS - sum(len(one.pairings) for one in shown)
    beside = list(_first(alike, room))
    listed = sum(len(one.pairings) for one in (*shown, *beside))
    return PairsOfCase(
        parted=tuple(shown), alike=tuple(beside), further=sum(len(one.pairings) for one in compared) - listed
    )


def _only(compared: ComparedCase, outcomes: Sequence[str]) -> ComparedCase:
    pairings = tuple(pairing for pairing in compared.pairings if pairing.outcome in outcomes)
    return ComparedCase(matchup=compared.matchup, pairings=pairings)


def _first(compared: Sequence[ComparedCase], room: int) -> Iterator[ComparedCase]:
    for one in compared:
        pairings = one.pairings[: max(0, room)]
        room -= len(pairings)
        if pairings:
            yield ComparedCase(matchup=one.matchup, pairings=pairings)
