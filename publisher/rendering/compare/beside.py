"""What the page of two runs side by side shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dataset.artifacts.artifact import Artifact
from dataset.artifacts.disclosure import Disclosed
from dataset.artifacts.withdrawn import Withdrawn
from dataset.measures.run_facts import RunFacts
from publisher.projection.report import PublicCase
from publisher.rendering.compare.assertions import AssertionRow, assertion_rows
from publisher.rendering.compare.matchup import Matchup, Side
from publisher.rendering.compare.pairing import Pairing
from publisher.rendering.compare.room import Room, TextPair
from publisher.rendering.compare.steps import StepRow, step_rows

COMPARED = ("steps", "result", "output_checks")
"""The sections that are compared."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RunSide:
    """One of the two runs; `opened` is what its file shows, or the tombstone where it was withdrawn."""

    left: bool
    side: Side
    variant_id: str
    facts: RunFacts
    opened: Disclosed | Withdrawn

    @property
    def withdrawn(self) -> Withdrawn | None:
        """Its tombstone, where it was withdrawn."""
        return self.opened if isinstance(self.opened, Withdrawn) else None

    def shows(self, section: str) -> bool:
        """Whether a section of it is public."""
        return isinstance(self.opened, Disclosed) and self.opened.shows(section)

    @property
    def withheld(self) -> tuple[str, ...]:
        """The sections that a reader would look for here and that aren't public."""
        if isinstance(self.opened, Withdrawn):
            return ()
        return tuple(name for name in (*COMPARED, "judgment") if not self.opened.shows(name))

    @property
    def artifact(self) -> Artifact | None:
        """What it shows; none where it was withdrawn."""
        return self.opened.artifact if isinstance(self.opened, Disclosed) else None


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Where a pair stands in a comparison: the pairs before and after it, and its number."""

    matchup: Matchup
    number: int
    count: int
    previous: Pairing | None
    following: Pairing | None


@dataclass(frozen=True, kw_only=True, slots=True)
class BesideView:
    """The page of two runs. A part is null where one side doesn't show what it needs."""

    pairing: Pairing
    places: tuple[Place, ...]
    case: PublicCase
    left: RunSide
    right: RunSide
    answer: TextPair | None
    rows: tuple[StepRow, ...] | None
    row_count: int
    assertions: tuple[AssertionRow, ...] | None

    @property
    def sides(self) -> tuple[RunSide, RunSide]:
        """Left, then right."""
        return self.left, self.right

    def hidden(self, section: str) -> tuple[RunSide, ...]:
        """The sides that don't show a section."""
        return tuple(side for side in self.sides if not side.shows(section))


def beside_view(pairing: Pairing, places: Sequence[Place], left: RunSide, right: RunSide) -> BesideView:
    """The view of a pair; `places` are all comparisons that hold it, at least one."""
    room = Room()
    ours, theirs = left.artifact, right.artifact
    answer = rows = assertions = None
    count = 0
    if ours is not None and theirs is not None:
        if left.shows("result") and right.shows("result"):
            answer = room.pair(ours.result.final_output, theirs.result.final_output)
        if left.shows("steps") and right.shows("steps"):
            rows, count = step_rows(ours.steps, theirs.steps, room)
        if left.shows("output_checks") and right.shows("output_checks"):
            assertions = assertion_rows(ours.output_checks, theirs.output_checks)
    return BesideView(
        pairing=pairing,
        places=tuple(places),
        case=places[0].matchup.batch.report.cases_by_id[pairing.case_id],
        left=left,
        right=right,
        answer=answer,
        rows=rows,
        row_count=count,
        assertions=assertions,
    )
