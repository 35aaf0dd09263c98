"""What a batch can cost at most, before anything is spent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dataset.artifacts.artifact import Cost
from dataset.artifacts.definition import FrozenModel, PlannedRun
from dataset.artifacts.price import Price
from dataset.measures.cost import most_cost, total_cost
from engine.batches.frozen_batch import FrozenBatch

UNKNOWN_COST = "unknown"


def cost_text(known: Mapping[str, str], unknown: str | None = None, *, scripted: bool = False) -> str:
    """A cost in words, wherever the engine says one: the amounts by currency, then what isn't known (`unknown`).

    The frozen price decides, of a scripted model too: with one its cost is an amount, which is marked; without one it
    is unknown, and never 0.
    """
    amounts = " + ".join(f"{amount} {currency}" for currency, amount in sorted(known.items()))
    marked = f"{amounts} (scripted)" if amounts and scripted else amounts
    return " + ".join(filter(None, (marked, unknown)))


@dataclass(frozen=True, kw_only=True, slots=True)
class Estimate:
    """Upper bounds for one model: every run is tried as often as it may be and takes every step with a full context and
    a full answer, every call is tried as often as the registry allows, each at the dearest rate that its price has.

    `output_tokens` is None where the template sets no limit. `cost` is None where that or the price isn't known, and
    `cost_reason` says which.
    """

    model_key: str
    runs: int
    calls: int
    input_tokens: int
    output_tokens: int | None
    cost: Cost | None
    cost_reason: str | None


def estimate(
    batch: FrozenBatch, runs: Sequence[PlannedRun], tries: Mapping[str, int], *, attempts: int = 1
) -> tuple[Estimate, ...]:
    """The bounds for the given runs (those still missing), model by model. `tries`: calls per step, by model key;
    `attempts`: how often each run may be begun."""
    return tuple(
        _for_model(batch, model, [run for run in runs if run.model_key == model.key], attempts * tries[model.key])
        for model in batch.definition.models
    )


def _for_model(batch: FrozenBatch, model: FrozenModel, runs: Sequence[PlannedRun], repeats: int) -> Estimate:
    pack, most_output = batch.pack, batch.definition.template.max_output_tokens
    calls_by_input: Counter[int] = Counter()
    for run in runs:
        most = pack.questions[run.case_id].limits.over(pack.head.limits).max_steps * repeats
        calls_by_input[pack.variants[run.variant_id].context_budget] += most
    cost, reason = _most(calls_by_input, most_output, model.price)
    return Estimate(
        model_key=model.key,
        runs=len(runs),
        calls=calls_by_input.total(),
        input_tokens=sum(size * calls for size, calls in calls_by_input.items()),
        output_tokens=None if most_output is None else calls_by_input.total() * most_output,
        cost=cost,
        cost_reason=reason,
    )


def _most(
    calls_by_input: Mapping[int, int], most_output: int | None, price: Price | None
) -> tuple[Cost | None, str | None]:
    if price is None:
        return None, "no price in the model registry"
    if most_output is None:
        return None, "the template sets no output limit"
    nothing = Cost(amount="0", currency=price.currency)
    bounds = [
        most_cost(price, input_tokens=size, output_tokens=most_output, calls=calls)
        for size, calls in calls_by_input.items()
    ]
    return total_cost([nothing, *bounds]), None
