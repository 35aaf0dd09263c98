"""Who is told what a worker does: a progress bar, a log, metrics."""

from __future__ import annotations

from typing import Literal, Protocol

from dataset.errors import GlassbenchError
from dataset.record import BatchId
from engine.telemetry.assembly import Sealed

Outcome = Literal["done", "yielded", "failed", "gave_up", "paused", "lost"]
"""How serving a slice ended: all of it recorded; put back for later; put back after a fault; its rest recorded as given
up; put back and its batch paused; taken over by another worker."""


class Observer(Protocol):
    """Is told of facts, always on the event loop's thread, and must not wait."""

    def recorded(self, batch_id: BatchId, sealed: Sealed) -> None:
        """A run is recorded, durably."""
        ...

    def served(self, batch_id: BatchId, outcome: Outcome) -> None:
        """A slice has been served."""
        ...

    def swept(self, expired: int, released: int, settled: int) -> None:
        """What dead workers left has been put in order: leases taken away, tries released and settled."""
        ...

    def fault(self, error: GlassbenchError, batch_id: BatchId | None) -> None:
        """Something went wrong that the worker goes on after."""
        ...

    def ended(self, batch_id: BatchId) -> None:
        """Every run of the batch is recorded, and this worker recorded the last."""
        ...
