"""What a batch can cost at most, before anything is spent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dataset.artifacts.artifact import Cost
from dataset.artifacts.definition import FrozenModel, PlannedRun
from dataset.measures.cost import money
from engine.batches.frozen_batch import FrozenBatch


@dataclass(frozen=True, kw_only=True, slots=True)
class Estimate:
    """Upper bounds for one model: every run takes every step with a full context and a full answer, and every call
    is tried as often as the registry allows. `output_tokens` is None where the template sets no limit, and `cost` then
    too, as where the registry has no price.
    """

    model_key: str
    runs: int
    calls: int
    input_tokens: int
    output_tokens: int | None
    cost: Cost | None


def estimate(batch: FrozenBatch, runs: Sequence[PlannedRun], tries: Mapping[str, int]) -> tuple[Estimate, ...]:
    """The bounds for the given runs (those still missing), model by model. `tries`: calls per step, by model key."""
    return tuple(
        _for_model(batch, model, [run for run in runs if run.model_key == model.key], tries[model.key])
        for model in batch.definition.models
    )


def _for_model(batch: FrozenBatch, model: FrozenModel, runs: Sequence[PlannedRun], tries: int) -> Estimate:
    pack, most_output = batch.pack, batch.definition.template.max_output_tokens
    calls = input_tokens = 0
    for run in runs:
        most = pack.questions[run.case_id].limits.over(pack.head.limits).max_steps * tries
        calls += most
        input_tokens += most * pack.variants[run.variant_id].context_budget
    output_tokens = None if most_output is None else calls * most_output
    return Estimate(
        model_key=model.key,
        runs=len(runs),
        calls=calls,
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        cost=money(input_tokens, output_tokens, model.price) if model.price and output_tokens is not None else None,
    )
