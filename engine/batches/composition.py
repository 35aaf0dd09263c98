"""The one place where a batch's object graph is built, with explicit arguments."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from dataset.errors import GlassbenchError
from dataset.questions.pack import Pack
from dataset.record import BatchId
from dataset.store.bank import load_pack
from dataset.store.batches import BatchRow
from dataset.store.session import Database
from engine.batches.frozen_batch import FrozenBatch
from engine.batches.run_executor import RunExecutor
from engine.batches.runner import BatchRunner, OnRecorded
from engine.context.token_counter import count_tokens
from engine.governance.chain import build_chain
from engine.guardrails.chain import build_guardrails
from engine.judges.fixed_rules import FixedRules
from engine.providers.factory import provider_for
from engine.providers.interface import Provider
from engine.providers.registry import ModelRegistry
from engine.telemetry.clock import SystemClock
from engine.telemetry.code_identity import code_identity


class ModelChangedError(GlassbenchError):
    """A model's registry entry was changed after the batch was created."""

    code = "BATCH-MODEL-001"


def load_frozen(database: Database, row: BatchRow) -> FrozenBatch:
    """A stored batch with the pack it was frozen on."""
    pack = load_pack(database, row.definition.pack.id, row.definition.pack.version)
    return FrozenBatch(id=BatchId(row.id), definition=row.definition, pack=pack)


def build_providers(batch: FrozenBatch, registry: ModelRegistry, environ: Mapping[str, str]) -> dict[str, Provider]:
    """A provider for each model of the batch; ModelChangedError where the registry no longer says what was frozen."""
    for frozen in batch.definition.models:
        if registry.entry(frozen.key).freeze() != frozen:
            raise ModelChangedError(
                f"model {frozen.key} in the registry isn't the one that batch {batch.id} was frozen with",
                hint=f"put its entry in {registry.owner_file} back as it was, or create a new batch",
            )
    return {
        key: provider_for(
            registry.entry(key), transcripts=batch.pack.transcripts, environ=environ, counter=count_tokens
        )
        for key in batch.models
    }


def build_runner(
    *,
    database: Database,
    batch: FrozenBatch,
    providers: Mapping[str, Provider],
    registry: ModelRegistry,
    home: Path,
    on_recorded: OnRecorded,
) -> BatchRunner:
    """A runner with the built-in governance chain, guardrails and judge."""
    pack: Pack = batch.pack
    executor = RunExecutor(
        batch=batch,
        providers=providers,
        chain=build_chain(pack.fixtures),
        guardrails=build_guardrails(pack.guardrails),
        judge=FixedRules(),
        clock=SystemClock(),
        code=code_identity(),
    )
    concurrency = {key: registry.entry(key).concurrency for key in providers}
    return BatchRunner(
        database=database, executor=executor, home=home, concurrency=concurrency, on_recorded=on_recorded
    )
