"""The register of releases: what was published, when, and from which batches."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert as upsert

from dataset.record import BatchId
from dataset.store.session import Database
from dataset.store.tables import release


@dataclass(frozen=True, kw_only=True, slots=True)
class ReleaseRow:
    """One release: the digest of its snapshot, the batches that it added and revised, the name of the target
    directory, how many runs, when, and the names of the keys that signed it. `number` is None in rows from before it
    was kept."""

    digest: str
    batch_ids: tuple[BatchId, ...]
    target_name: str
    run_count: int
    published_at: datetime
    number: int | None = None
    revised_ids: tuple[BatchId, ...] = ()
    signed_by: tuple[str, ...] = ()


def register_release(database: Database, row: ReleaseRow) -> bool:
    """Registers a release; False where its digest is registered already, whose row is left as it is."""
    values = {
        "digest": row.digest,
        "batch_ids": list(row.batch_ids),
        "target_name": row.target_name,
        "run_count": row.run_count,
        "published_at": row.published_at,
        "number": row.number,
        "revised_ids": list(row.revised_ids),
        "signed_by": list(row.signed_by),
    }
    statement = upsert(release).values(values).on_conflict_do_nothing().returning(release.c.digest)
    with database.transaction() as connection:
        return connection.execute(statement).one_or_none() is not None


def list_releases(database: Database) -> list[ReleaseRow]:
    """Every release, the newest first; times are UTC."""
    statement = select(release).order_by(
        release.c.published_at.desc(), release.c.number.desc().nulls_last(), release.c.digest
    )
    with database.transaction() as connection:
        rows = connection.execute(statement).all()
    return [
        ReleaseRow(
            digest=row.digest,
            batch_ids=tuple(BatchId(batch_id) for batch_id in row.batch_ids),
            target_name=row.target_name,
            run_count=row.run_count,
            published_at=row.published_at.astimezone(UTC),
            number=row.number,
            revised_ids=tuple(BatchId(batch_id) for batch_id in row.revised_ids),
            signed_by=tuple(row.signed_by),
        )
        for row in rows
    ]
