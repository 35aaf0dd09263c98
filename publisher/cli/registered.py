"""The register of releases in the database, as commands that have one write it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataset.store.session import Database
    from publisher.releases.outcome import Released


def register(database: Database, done: Released) -> None:
    """Registers the release that a target holds now, where it isn't registered yet."""
    from datetime import datetime

    from dataset.record import BatchId
    from dataset.store.releases import ReleaseRow, register_release

    release = done.release
    row = ReleaseRow(
        digest=done.digest,
        batch_ids=tuple(BatchId(batch) for batch in release.batches),
        target_name=done.target.name,
        run_count=done.runs,
        published_at=datetime.fromisoformat(release.published_at),
        number=release.number,
        revised_ids=tuple(BatchId(batch) for batch in release.revised),
        signed_by=done.signed_by,
    )
    register_release(database, row)
