"""What a worker holds open for a batch: its frozen entries, its providers, and how many calls each model takes."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from engine.batches.frozen_batch import FrozenBatch
from engine.batches.run_executor import RunExecutor
from engine.ledger.account import Account
from engine.ledger.terms import Terms
from engine.providers.interface import Provider


@dataclass(frozen=True, kw_only=True)
class BatchSession:
    """Everything that the slices of one batch share within a worker, by model key where it is per model."""

    batch: FrozenBatch
    terms: Terms
    executor: RunExecutor
    providers: Mapping[str, Provider]
    accounts: Mapping[str, Account]
    concurrency: Mapping[str, int]
    turns: Mapping[str, asyncio.Semaphore]
    """However many slices are served at once, a model has this many runs in flight."""

    answered: set[str]
    """The models that have given a reply in this batch, as far as this worker knows."""

    @property
    def replayed(self) -> bool:
        """Whether its answers are another batch's, and nobody is asked."""
        return self.batch.definition.replay_of is not None

    async def close(self) -> None:
        """Ends every connection."""
        for provider in self.providers.values():
            await provider.close()
