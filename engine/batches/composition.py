"""The one place where a worker's object graph is built, with explicit arguments."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

from dataset.artifacts.definition import FrozenModel
from dataset.context.token_counter import count_tokens
from dataset.errors import GlassbenchError
from dataset.record import BatchId
from dataset.store.bank import load_pack
from dataset.store.batches import BatchRow, get_batch
from dataset.store.recorded_replies import RecordedReplies
from dataset.store.runs import answered_models
from dataset.store.session import Database
from engine.batches.batch_session import BatchSession
from engine.batches.batch_terms import frozen_terms
from engine.batches.frozen_batch import FrozenBatch
from engine.batches.run_executor import RunExecutor
from engine.governance.chain import build_chain
from engine.guardrails.chain import build_guardrails
from engine.judges.fixed_rules import FixedRules
from engine.ledger.account import Account
from engine.ledger.request_digest import RequestDigest
from engine.ledger.terms import Terms
from engine.ledger.waiting_line import WaitingLine
from engine.providers.credential import CredentialSource
from engine.providers.factory import provider_for
from engine.providers.interface import Provider
from engine.providers.model_entry import ModelEntry
from engine.providers.nobody import Nobody
from engine.providers.registry import ModelRegistry
from engine.providers.replay import ReplayProvider
from engine.providers.retry_policy import Clockwork
from engine.telemetry.clock import Clock, SharedClock
from engine.telemetry.code_identity import code_identity

OFFLINE_AT_ONCE = 8
"""Runs in flight that ask no server (replayed, given up): the database answers a few at a time best."""


class ModelChangedError(GlassbenchError):
    """A model's registry entry was changed after the batch was created."""

    code = "BATCH-MODEL-001"


def require_unchanged(registry: ModelRegistry, frozen: FrozenModel, batch_id: BatchId) -> ModelEntry:
    """The registry's entry of a frozen model; ModelChangedError, UnknownModelError, ArchivedModelError."""
    entry = registry.entry(frozen.key)
    if entry.freeze() != frozen:
        raise ModelChangedError(
            f"model {frozen.key} in the registry isn't the one that batch {batch_id} was frozen with",
            hint=f"put its entry in {registry.owner_file} back as it was, or create a new batch",
        )
    return entry


def load_frozen(database: Database, row: BatchRow) -> FrozenBatch:
    """A stored batch with the pack it was frozen on."""
    pack = load_pack(database, row.definition.pack.id, row.definition.pack.version)
    return FrozenBatch(id=BatchId(row.id), definition=row.definition, pack=pack)


def executor_of(batch: FrozenBatch, providers: Mapping[str, Provider], clock: Clock) -> RunExecutor:
    """What runs any planned run of a batch with these providers, by model key."""
    return RunExecutor(
        batch=batch,
        providers=providers,
        chain=build_chain(batch.pack.fixtures),
        guardrails=build_guardrails(batch.pack.guardrails),
        judge=FixedRules(),
        clock=clock,
        code=code_identity(),
    )


@dataclass(frozen=True, kw_only=True)
class Composer:
    """Opens batches for a worker: what is frozen from the database, addresses and keys from this machine."""

    database: Database
    registry: ModelRegistry
    credentials: CredentialSource
    clock: SharedClock
    line: WaitingLine = field(default_factory=WaitingLine)

    def open(self, batch_id: BatchId, asking: bool = True) -> BatchSession:
        """Everything that the slices of a batch share. Where nobody is to be asked, no entry and no key is needed.

        ModelChangedError where the registry no longer says what was frozen; a credential's error where a key isn't
        here; BatchHashError, FrozenBatchError.
        """
        row = get_batch(self.database, batch_id)
        batch = load_frozen(self.database, row)
        terms = frozen_terms(self.database, batch_id)
        source = batch.definition.replay_of
        providers: dict[str, Provider]
        if not asking:
            providers = {key: Nobody() for key in batch.models}
        else:
            providers = self._providers(batch) if source is None else self._replays(batch, source)
        offline = not asking or source is not None
        concurrency = {key: OFFLINE_AT_ONCE if offline else self.registry.entry(key).concurrency for key in providers}
        return BatchSession(
            batch=batch,
            terms=terms,
            executor=executor_of(batch, providers, self.clock),
            providers=providers,
            accounts=self._accounts(batch, terms),
            concurrency=concurrency,
            turns={key: asyncio.Semaphore(most) for key, most in concurrency.items()},
            answered=answered_models(self.database, batch_id),
        )

    def _replays(self, batch: FrozenBatch, source: BatchId) -> dict[str, Provider]:
        """A provider for each model that asks nobody: neither its entry nor its key is needed any more."""
        recording = RecordedReplies(self.database, source)
        return {key: ReplayProvider(recording, RequestDigest(model.digest())) for key, model in batch.models.items()}

    def _providers(self, batch: FrozenBatch) -> dict[str, Provider]:
        for frozen in batch.definition.models:
            require_unchanged(self.registry, frozen, batch.id)
        return {
            key: provider_for(
                self.registry.entry(key),
                transcripts=batch.pack.transcripts,
                credentials=self.credentials,
                counter=count_tokens,
                clockwork=Clockwork(now=self.clock.moment),
            )
            for key in batch.models
        }

    def _accounts(self, batch: FrozenBatch, terms: Terms) -> dict[str, Account]:
        return {
            model.key: Account(batch_id=batch.id, model=model, terms=terms, clock=self.clock, line=self.line)
            for model in batch.definition.models
        }
