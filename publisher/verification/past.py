"""What a revised report no longer shows by itself, and an older copy of it does."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields

from dataset.measures.threshold import enough_valid
from publisher.projection.report import Report

_CLAIMED = {"result", "judgment"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Past:
    """Names of what can't be checked any more, since the runs that would show it were withdrawn or were withheld."""

    superseded: frozenset[str] = frozenset()
    """Withdrawn runs that were tried again: only an invalid one may be."""
    groups: frozenset[str] = frozenset()
    """Groups that have enough valid runs only if withdrawn ones were valid."""
    times: frozenset[str] = frozenset()
    """Batches whose start and end may be those of a withdrawn run."""
    definitions: frozenset[str] = frozenset()
    """Batches of which no run is left that would name the hash of the definition."""
    claims: frozenset[str] = frozenset()
    """Runs of revised reports whose result or judgment is withheld, so that their line is taken as told."""

    def __or__(self, other: Past) -> Past:
        """What either says."""
        return Past(**{part.name: getattr(self, part.name) | getattr(other, part.name) for part in fields(Past)})

    def __sub__(self, other: Past) -> Past:
        """What this says and the other doesn't."""
        return Past(**{part.name: getattr(self, part.name) - getattr(other, part.name) for part in fields(Past)})


NO_PAST = Past()
"""What a report that was never revised doesn't show any more."""


def past_of(report: Report) -> Past:
    """What a report no longer shows; nothing while no run was withdrawn and nothing revealed."""
    batch = frozenset({str(report.batch_id)})
    withdrawn = {str(line.run_id) for line in report.every_run if line.run_id in report.withdrawn}
    return Past(
        superseded=frozenset(str(line.run_id) for line in report.superseded if line.run_id in withdrawn),
        groups=frozenset(_excused(report)),
        times=batch if withdrawn else frozenset(),
        definitions=batch if len(withdrawn) == len(report.every_run) else frozenset(),
        claims=frozenset(_claims(report, withdrawn)) if report.withdrawals or report.reveals else frozenset(),
    )


def _excused(report: Report) -> set[str]:
    lost = Counter((line.model_key, line.variant_id) for line in report.runs if line.run_id in report.withdrawn)
    return {
        f"{report.batch_id}/{group.model_key}/{group.variant_id}"
        for group in report.groups
        if lost[group.model_key, group.variant_id]
        and not enough_valid(group.measures.valid, group.measures.planned, report.definition.template)
    }


def _claims(report: Report, withdrawn: set[str]) -> set[str]:
    hidden = {case.id for case in report.definition.cases if not _CLAIMED.isdisjoint(report.withheld(case.id))}
    return {str(line.run_id) for line in report.every_run if line.case_id in hidden and line.run_id not in withdrawn}
