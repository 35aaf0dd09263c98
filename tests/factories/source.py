"""A batch source without a database, for everything that a store can do to a publisher."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from dataset.artifacts.digest import open_artifact
from dataset.record import BatchId
from publisher.intake.interface import BatchHead, StoredRun
from tests.factories.snapshot import SampleBatch


def head_of(batch: SampleBatch) -> BatchHead:
    """The head of a finished batch whose pack is in the bank."""
    return BatchHead(
        definition=batch.definition, definition_hash=batch.definition.digest(), finished=True, pack=batch.pack
    )


def rows_of(batch: SampleBatch) -> list[StoredRun]:
    """The artifact rows of a batch, by position."""
    return [
        StoredRun(run_id=run_id, artifact_hash=open_artifact(data).artifact_hash, data=data)
        for run_id, data in batch.artifacts.items()
    ]


@dataclass(frozen=True, kw_only=True)
class SampleSource:
    """A `BatchSource` over values; `stored` None is a batch that doesn't exist."""

    batch_id: BatchId
    stored: BatchHead | None
    rows: Sequence[StoredRun] = field(default=(), repr=False)

    @classmethod
    def of(cls, batch: SampleBatch) -> SampleSource:
        """The source of a batch that has nothing wrong with it."""
        return cls(batch_id=batch.batch_id, stored=head_of(batch), rows=rows_of(batch))

    def head(self) -> BatchHead | None:
        """The head as given."""
        return self.stored

    def runs(self) -> Iterator[StoredRun]:
        """The rows as given."""
        return iter(self.rows)

    def with_row(self, position: int, **changes: object) -> SampleSource:
        """The same source with one row changed."""
        rows = list(self.rows)
        rows[position] = replace(rows[position], **changes)  # type: ignore[arg-type]
        return replace(self, rows=rows)
