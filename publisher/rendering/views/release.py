"""What the pages of releases show: what each brought, revised, withdrew and revealed, and what its log fixed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from publisher.projection.index import Release
from publisher.projection.report import Report, Reveal
from publisher.rendering.snapshot.log import LoggedRelease
from publisher.rendering.snapshot.snapshot import PublishedBatch, Snapshot
from publisher.rendering.snapshot.withdrawal import WithdrawnRuns, withdrawals_of


@dataclass(frozen=True, kw_only=True, slots=True)
class Brought:
    """A batch that a release added, and whether every run of it was withdrawn since."""

    report: Report
    withdrawn: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class RevealedParts:
    """Parts of one case that a release revealed, in one batch."""

    report: Report
    reveal: Reveal


@dataclass(frozen=True, kw_only=True, slots=True)
class WithheldSections:
    """How many sections, of how many runs that a release brought, are published as their digest alone now; `prompts`
    is how many prompt files, of which only the digest is ever published, those runs name."""

    sections: int
    runs: int
    prompts: int


@dataclass(frozen=True, kw_only=True, slots=True)
class ReleaseView:
    """One release. `logged` is null in a snapshot without a log."""

    release: Release
    logged: LoggedRelease | None
    brought: tuple[Brought, ...]
    withdrew: tuple[WithdrawnRuns, ...]
    revealed: tuple[RevealedParts, ...]
    withheld: WithheldSections

    @property
    def withdrawn_runs(self) -> int:
        """How many runs it withdrew."""
        return sum(len(found.runs) for found in self.withdrew)


@dataclass(frozen=True, kw_only=True, slots=True)
class Standing:
    """What a page says of the snapshot that it belongs to: a release of it, and that one's place in the log."""

    number: int
    logged: LoggedRelease | None

    @property
    def unsigned(self) -> bool:
        """Whether there is a log and nobody signed it as it stands now."""
        return self.logged is not None and not self.logged.signers


def standing_of(snapshot: Snapshot, number: int | None = None) -> Standing:
    """How the snapshot stood after one of its releases, or stands after the latest."""
    number = len(snapshot.index.releases) if number is None else number
    releases = snapshot.log.releases if snapshot.log is not None else ()
    return Standing(number=number, logged=next((found for found in releases if found.number == number), None))


def release_views(snapshot: Snapshot) -> tuple[ReleaseView, ...]:
    """Every release, latest first."""
    logged = {found.number: found for found in snapshot.log.releases} if snapshot.log is not None else {}
    batches = {str(batch.report.batch_id): batch for batch in snapshot.batches}
    return tuple(
        ReleaseView(
            release=release,
            logged=logged.get(release.number),
            brought=tuple(_brought(batches[name]) for name in release.batches if name in batches),
            withdrew=tuple(
                found for b in snapshot.batches for found in withdrawals_of(b.report) if found.release == release.number
            ),
            revealed=_revealed(snapshot.batches, release.number),
            withheld=_withheld([batches[name].report for name in release.batches if name in batches]),
        )
        for release in reversed(snapshot.index.releases)
    )


def _withheld(reports: Sequence[Report]) -> WithheldSections:
    parts = [len(set(report.withheld(run.case_id)) - {"gold"}) for report in reports for run in report.every_run]
    prompts = {(prompt.id, prompt.version, prompt.hash) for report in reports for prompt in report.definition.prompts}
    return WithheldSections(sections=sum(parts), runs=sum(map(bool, parts)), prompts=len(prompts))


def _brought(batch: PublishedBatch) -> Brought:
    return Brought(report=batch.report, withdrawn=batch.withdrawn)


def _revealed(batches: Sequence[PublishedBatch], number: int) -> tuple[RevealedParts, ...]:
    return tuple(
        RevealedParts(report=batch.report, reveal=reveal)
        for batch in batches
        for reveal in batch.report.reveals
        if reveal.release == number
    )
