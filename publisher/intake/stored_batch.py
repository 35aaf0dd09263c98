"""A batch to publish, read from PostgreSQL through `dataset.store`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from dataset.record import BatchId
from dataset.store.bank import UnknownPackError, load_pack
from dataset.store.batch_definition import BatchHashError
from dataset.store.batches import BatchRow, UnknownBatchError, get_batch
from dataset.store.rebuilt import BankHashError
from dataset.store.runs import iterate_artifacts
from dataset.store.session import Database
from publisher.intake.interface import BatchHead, StoredRun


class StoredBatch:
    """A `BatchSource` over the store. What the store can't give or doesn't believe is told, not raised; a database
    that can't be read raises StoreError."""

    def __init__(self, database: Database, batch_id: str) -> None:
        self._database = database
        self._id = BatchId(batch_id)

    @property
    def batch_id(self) -> BatchId:
        """The id that was asked for."""
        return self._id

    def head(self) -> BatchHead | None:
        """The batch, or None where there is none of this id; as it was read first."""
        return self._first

    @cached_property
    def _first(self) -> BatchHead | None:
        try:
            row = get_batch(self._database, self._id)
        except UnknownBatchError:
            return None
        except BatchHashError as error:
            return BatchHead(
                definition=None, definition_hash="", finished=True, pack=None, definition_fault=error.message
            )
        return self._with_pack(row)

    def runs(self) -> Iterator[StoredRun]:
        """Every artifact row by position, those of runs tried again after those that they supersede."""
        for row in iterate_artifacts(self._database, self._id):
            yield StoredRun(run_id=row.run_id, artifact_hash=row.artifact_hash, data=row.data)

    def _with_pack(self, row: BatchRow) -> BatchHead:
        wanted, fault = row.definition.pack, ""
        try:
            pack = load_pack(self._database, wanted.id, wanted.version)
        except (UnknownPackError, BankHashError) as error:
            pack, fault = None, error.message
        return BatchHead(
            definition=row.definition,
            definition_hash=row.definition_hash,
            finished=row.finished_at is not None,
            pack=pack,
            pack_fault=fault,
        )
