"""One row a release."""

from __future__ import annotations

from collections.abc import Iterator

from publisher.exports.interface import ExportSource
from publisher.exports.tables.interface import Column, Table
from publisher.rendering.views.release import ReleaseView, release_views


def releases(source: ExportSource) -> Iterator[ReleaseView]:
    """Every release, first to last."""
    yield from reversed(release_views(source.snapshot))


RELEASES: Table[ReleaseView] = Table(
    id="releases",
    title="Releases",
    description="One row for each release, first to last. Without a release log, what the log fixed is empty.",
    key=("release",),
    columns=(
        Column(name="release", kind="integer", description="Its number.", value=lambda r: r.release.number),
        Column(
            name="published_at",
            kind="time",
            description="The end of the last run that it or one before it brought.",
            value=lambda r: r.release.published_at,
        ),
        Column(
            name="batches", kind="list", description="The batches that it brought.", value=lambda r: r.release.batches
        ),
        Column(
            name="revised",
            kind="list",
            description="Earlier batches whose report it changed.",
            value=lambda r: r.release.revised,
        ),
        Column(
            name="withdrawn_runs",
            kind="integer",
            description="How many runs it withdrew.",
            value=lambda r: sum(len(found.runs) for found in r.withdrew),
        ),
        Column(
            name="revealed_cases",
            kind="integer",
            description="Of how many cases of a batch it revealed something.",
            value=lambda r: len(r.revealed),
        ),
        Column(
            name="log_size",
            kind="integer",
            description="Entries of the log after it.",
            value=lambda r: r.logged.size if r.logged else None,
        ),
        Column(
            name="log_root",
            kind="id",
            description="The root hash of the log after it, in hexadecimal.",
            value=lambda r: r.logged.root_hex if r.logged else None,
        ),
        Column(
            name="signers",
            kind="list",
            description="The names of the keys that signed it.",
            value=lambda r: tuple(key.name for key in r.logged.signers) if r.logged else None,
        ),
    ),
    records=releases,
)
