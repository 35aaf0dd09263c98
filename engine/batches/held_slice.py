"""A slice in a worker's hands."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from dataset.store.batch_control import Wish
from dataset.store.serving import Work


@dataclass(kw_only=True, eq=False)
class Held:
    """The task that runs it, what is wanted of its batch, and whether the lease was lost."""

    work: Work
    wish: Wish
    reason: str | None
    task: asyncio.Task[None] | None = None
    lost: bool = False
    returning: bool = False
    """The lease is being given back, so that its end is no loss."""

    def cancel(self) -> None:
        """Ends the work at once; what is being given back already is left to it."""
        if self.task is not None and not self.returning:
            self.task.cancel()
