"""What publishing reads of a batch, as plain values; the store behind it is another matter."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

from dataset.artifacts.definition import BatchDefinition
from dataset.questions.pack import Pack
from dataset.record import BatchId


@dataclass(frozen=True, kw_only=True, slots=True)
class BatchHead:
    """A batch without its runs. `definition` and `pack` are None where the store can't give what was frozen, for
    `definition_fault` and `pack_fault`."""

    definition: BatchDefinition | None = field(repr=False)
    definition_hash: str
    finished: bool
    pack: Pack | None = field(repr=False)
    definition_fault: str = ""
    pack_fault: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredRun:
    """One artifact row: its bytes as stored, and the id and hash that its columns hold."""

    run_id: str
    artifact_hash: str
    data: bytes = field(repr=False)


class BatchSource(Protocol):
    """One batch to publish."""

    @property
    def batch_id(self) -> BatchId:
        """The id that was asked for."""
        ...

    def head(self) -> BatchHead | None:
        """The batch, or None where there is none of this id."""
        ...

    def runs(self) -> Iterator[StoredRun]:
        """Every artifact row, one at a time. Called more than once; memory must not grow with the batch."""
        ...
