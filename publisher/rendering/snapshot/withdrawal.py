"""The withdrawn runs of a batch, by the reason that was given for them."""

from __future__ import annotations

from dataclasses import dataclass

from dataset.measures.run_facts import RunFacts
from publisher.projection.report import Report


@dataclass(frozen=True, kw_only=True, slots=True)
class WithdrawnRuns:
    """Runs of one batch that one release withdrew for one reason, in the order of the report."""

    report: Report
    release: int
    reason: str
    runs: tuple[RunFacts, ...]


def withdrawals_of(report: Report) -> tuple[WithdrawnRuns, ...]:
    """Every withdrawn run of a report, together with those of the same release and reason; earliest release first."""
    grouped: dict[tuple[int, str], list[RunFacts]] = {}
    for run in report.every_run:
        told = report.withdrawn.get(run.run_id)
        if told is not None:
            grouped.setdefault((told.release, told.reason), []).append(run)
    return tuple(
        WithdrawnRuns(report=report, release=release, reason=reason, runs=tuple(runs))
        for (release, reason), runs in sorted(grouped.items(), key=lambda entry: entry[0])
    )
