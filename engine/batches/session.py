"""One session of running a batch: providers opened, the runner driven to the end, everything closed again."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

from dataset.errors import GlassbenchError
from dataset.store.session import Database
from engine.batches.composition import build_providers, build_runner
from engine.batches.frozen_batch import FrozenBatch
from engine.batches.progress import BatchProgress, BatchTally, batch_progress
from engine.providers.interface import Provider
from engine.providers.registry import ModelRegistry


def run_to_the_end(
    *,
    database: Database,
    batch: FrozenBatch,
    registry: ModelRegistry,
    environ: Mapping[str, str],
    home: Path,
    tally: BatchTally,
) -> None:
    """Records every missing run, showing progress. KeyboardInterrupt leaves what is recorded recorded."""
    providers = build_providers(batch, registry, environ)
    with batch_progress(tally) as progress:
        asyncio.run(_drive(database, batch, registry, providers, home, progress))


async def _drive(
    database: Database,
    batch: FrozenBatch,
    registry: ModelRegistry,
    providers: Mapping[str, Provider],
    home: Path,
    progress: BatchProgress,
) -> None:
    runner = build_runner(
        database=database,
        batch=batch,
        providers=providers,
        registry=registry,
        home=home,
        on_recorded=progress.advance,
    )
    try:
        await runner.run()
    except ExceptionGroup as group:
        raise _first_of_ours(group) from None
    finally:
        for provider in providers.values():
            await provider.close()


def _first_of_ours(group: ExceptionGroup[Exception]) -> Exception:
    """The error that a person can act on: several consumers meet the same full disk or broken connection at once."""
    return next((error for error in group.exceptions if isinstance(error, GlassbenchError)), group)
