"""What the pages of one comparison show: the difference and how far to trust it, then every case."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from publisher.rendering.bars import Bar, difference_bar
from publisher.rendering.compare.finding import finding_of
from publisher.rendering.compare.matchup import Matchup, Matchups
from publisher.rendering.compare.measuring import Measured, counted, measured
from publisher.rendering.compare.pairing import STANDINGS, CaseOutcome, Standing, Tally, case_outcomes, tally_of
from publisher.rendering.evidence import Evidence
from publisher.rendering.language.message import Sayable
from publisher.rendering.page_names import numbered

PAIRS_A_PAGE = 500
ROWS_A_PAGE = 300


@dataclass(frozen=True, kw_only=True, slots=True)
class CompareView:
    """One comparison with all of its cases by what became of them."""

    matchup: Matchup
    tally: Tally
    measured: Measured
    bar: Bar | None
    cases: tuple[CaseOutcome, ...]

    @property
    def evidence(self) -> Evidence:
        """What there is to judge by, for the words where a number is withheld."""
        found = self.measured.statistics
        return Evidence(pairs=self.measured.measures.pairs, cases=found.cases if found is not None else None)

    @property
    def finding(self) -> tuple[Sayable, ...]:
        """What the test found; empty where there is none."""
        found = self.measured.statistics
        if found is None:
            return ()
        differing = self.count("won") + self.count("lost")
        return tuple(finding_of(found, family=self.measured.family, differing=differing))

    def count(self, standing: Standing) -> int:
        """How many cases came out like this."""
        return sum(case.standing == standing for case in self.cases)


@dataclass(frozen=True, kw_only=True, slots=True)
class ComparePart:
    """One of the pages of a comparison: some of its cases, by standing."""

    name: str
    number: int
    groups: tuple[tuple[Standing, tuple[CaseOutcome, ...]], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class MatchupRow:
    """A comparison in the list of a batch's comparisons."""

    matchup: Matchup
    tally: Tally
    difference: tuple[str, str, str] | None
    """With the ends of its interval; null without enough pairs."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MatchupsPart:
    """One of the pages that list a batch's comparisons."""

    name: str
    number: int
    rows: tuple[MatchupRow, ...]


def compare_view(matchup: Matchup, found: Measured | None = None) -> CompareView:
    """The view of one comparison; `found` where it isn't one of a batch alone."""
    found = found or measured(matchup)
    return CompareView(
        matchup=matchup,
        tally=tally_of(matchup.pairings),
        measured=found,
        bar=difference_bar(found.measures),
        cases=tuple(sorted(case_outcomes(matchup.pairings), key=lambda case: STANDINGS.index(case.standing))),
    )


def compare_parts(view: CompareView) -> tuple[ComparePart, ...]:
    """The pages of a comparison: no page holds more than some hundred pairs."""
    return tuple(
        ComparePart(name=numbered(view.matchup.page, number), number=number, groups=tuple(_by_standing(cases)))
        for number, cases in enumerate(_chunks(view.cases), start=1)
    )


def matchup_row(matchup: Matchup) -> MatchupRow:
    """A comparison as the list of them tells it."""
    found = counted(matchup)
    value, low, high = found.difference, found.difference_low, found.difference_high
    known = value is not None and low is not None and high is not None
    return MatchupRow(
        matchup=matchup,
        tally=tally_of(matchup.pairings),
        difference=(value, low, high) if known else None,  # type: ignore[arg-type]
    )


def matchups_parts(found: Matchups) -> tuple[MatchupsPart, ...]:
    """The pages that list the comparisons of a batch; none where there are none."""
    return tuple(
        MatchupsPart(
            name=numbered(found.page, number),
            number=number,
            rows=tuple(map(matchup_row, found.all[start : start + ROWS_A_PAGE])),
        )
        for number, start in enumerate(range(0, len(found.all), ROWS_A_PAGE), start=1)
    )


def _chunks(cases: Sequence[CaseOutcome]) -> Iterator[list[CaseOutcome]]:
    """Cases together until they have enough pairs; one that has more alone is split."""
    chunk: list[CaseOutcome] = []
    size = 0
    for case in cases:
        for start in range(0, len(case.pairings), PAIRS_A_PAGE):
            part = CaseOutcome(case_id=case.case_id, pairings=case.pairings[start : start + PAIRS_A_PAGE])
            if chunk and size + len(part.pairings) > PAIRS_A_PAGE:
                yield chunk
                chunk, size = [], 0
            chunk.append(part)
            size += len(part.pairings)
    if chunk:
        yield chunk


def _by_standing(cases: Sequence[CaseOutcome]) -> Iterator[tuple[Standing, tuple[CaseOutcome, ...]]]:
    for standing in STANDINGS:
        own = tuple(case for case in cases if case.standing == standing)
        if own:
            yield standing, own
