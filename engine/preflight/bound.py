"""The most that a batch can take from here: every run begun as often as it may be, and one canary a model.

calls = (missing runs × remaining attempts × most steps + 1 canary) × HTTP tries.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dataset.artifacts.definition import BatchDefinition, FrozenModel, PlannedRun, planned_runs
from dataset.measures.cost import most_cost, total_cost
from dataset.record import BatchId
from dataset.store.bank import load_pack
from dataset.store.session import Database
from engine.batches.estimate import Estimate, estimate
from engine.batches.frozen_batch import FrozenBatch
from engine.context.canary import CANARY_INPUT_TOKENS, CANARY_OUTPUT_TOKENS
from engine.ledger.policy import Policy
from engine.preflight.paid import is_paid
from engine.providers.registry import ModelRegistry


def most(
    batch: FrozenBatch, runs: Sequence[PlannedRun], registry: ModelRegistry, *, attempts: int
) -> tuple[Estimate, ...]:
    """The bounds for the runs that are missing, model by model; a replay takes no call.

    `attempts`: how often the policy has a run begun. Starting a batch gives every missing run all of them again.
    """
    if batch.definition.replay_of is not None:
        return ()
    tries = registry.tries()
    bounds = estimate(batch, runs, tries, attempts=attempts)
    return tuple(
        _with_canary(bound, model, tries[model.key]) if bound.runs and is_paid(registry.entry(model.key)) else bound
        for bound, model in zip(bounds, batch.definition.models, strict=True)
    )


def most_of_batch(
    database: Database, registry: ModelRegistry, definition: BatchDefinition, batch_id: BatchId, policy: Policy
) -> tuple[Estimate, ...]:
    """The bounds for a batch as a whole, before it is created under a policy."""
    pack = load_pack(database, definition.pack.id, definition.pack.version)
    batch = FrozenBatch(id=batch_id, definition=definition, pack=pack)
    return most(batch, list(planned_runs(definition, batch_id)), registry, attempts=policy.slice_attempts)


def _with_canary(bound: Estimate, model: FrozenModel, tries: int) -> Estimate:
    cost = bound.cost
    if cost is not None and model.price is not None:
        canary = most_cost(
            model.price, input_tokens=CANARY_INPUT_TOKENS, output_tokens=CANARY_OUTPUT_TOKENS, calls=tries
        )
        cost = total_cost([cost, canary])
    return replace(
        bound,
        calls=bound.calls + tries,
        input_tokens=bound.input_tokens + tries * CANARY_INPUT_TOKENS,
        output_tokens=None if bound.output_tokens is None else bound.output_tokens + tries * CANARY_OUTPUT_TOKENS,
        cost=cost,
    )
