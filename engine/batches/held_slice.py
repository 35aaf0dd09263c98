"""A slice in a worker's hands."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from dataset.store.batch_control import Wish
from dataset.store.lifecycle import Work


@dataclass(kw_only=True, eq=False)
class Held:
    """The task that runs it, what is wanted of its batch, and whether the lease was lost."""

    work: Work
    wish: Wish
    reason: str | None
    task: asyncio.Task[None] | None = None
    lost: bool = False
