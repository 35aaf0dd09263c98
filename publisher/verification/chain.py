"""The runs at each position of a batch: the planned one, and every one that superseded the one before it."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass

from dataset.artifacts.definition import PlannedRun
from dataset.artifacts.revision import revision_id
from dataset.record import RunId


@dataclass(frozen=True, kw_only=True, slots=True)
class Chain:
    """One position with its runs in their order. The last counts; those before it were superseded.

    Ids say which run supersedes which, so that a chain can neither fork nor come back to itself.
    """

    planned: PlannedRun
    run_ids: tuple[RunId, ...]

    @property
    def counts(self) -> RunId | None:
        """The run that every number is made from; None where there is none yet."""
        return self.run_ids[-1] if self.run_ids else None

    @property
    def superseded(self) -> tuple[RunId, ...]:
        """The runs before it."""
        return self.run_ids[:-1]


def chains_of(planned: Iterable[PlannedRun], known: Container[str]) -> Iterator[Chain]:
    """The chain of each planned run among some run ids; one ends where the next revision is missing."""
    for plan in planned:
        run_ids: list[RunId] = []
        while (following := revision_id(plan.run_id, len(run_ids) + 1)) in known:
            run_ids.append(following)
        yield Chain(planned=plan, run_ids=tuple(run_ids))
