"""The cost of a run is made again call by call, by the price that its batch froze."""

from __future__ import annotations

from typing import Any

import pytest

from dataset.artifacts.artifact import ModelStep
from dataset.artifacts.definition import planned_runs
from dataset.artifacts.digest import open_artifact
from dataset.artifacts.price import Price
from dataset.measures.cost import run_cost
from dataset.record import RunId
from publisher.verification.agreement import Promise, agreement_differences
from tests.factories import forged, make_batch

RATES = {"input_per_million": "3", "output_per_million": "7"}


@pytest.mark.parametrize(
    "variation",
    [
        {"tiers": [{**RATES, "above_input_tokens": 1}]},
        {"hours": [{**RATES, "from": "00:00", "to": "12:00"}, {**RATES, "from": "12:00", "to": "00:00"}]},
    ],
    ids=["tiers", "hours"],
)
def test_a_cost_by_the_base_rates_is_found_where_a_tier_or_an_hour_counts(variation: dict[str, Any]) -> None:
    batch = make_batch(scenario=lambda planned: "pass")
    plan = next(plan for plan in planned_runs(batch.definition, batch.batch_id) if plan.run_id == "batch-1-0001")
    artifact = open_artifact(batch.artifacts[RunId("batch-1-0001")])
    base = next(model.price for model in batch.definition.models if model.key == plan.model_key)
    assert base is not None
    price = Price.model_validate({**base.body(), **variation})
    models = tuple(model.model_copy(update={"price": price}) for model in batch.definition.models)
    promise = Promise(
        batch_id=batch.batch_id,
        definition=batch.definition.model_copy(update={"models": models}),
        definition_hash=batch.definition.digest(),
        questions=batch.pack.questions,
        variants=batch.pack.variants,
    )

    def result_places(run: Any) -> list[str]:
        found = [difference.place for difference in agreement_differences(run, plan, promise)]
        return [place for place in found if place.startswith("/result")]

    cost, _ = run_cost([step for step in artifact.steps if isinstance(step, ModelStep)], price)
    assert cost is not None
    assert result_places(artifact) == ["/result/cost/amount"]
    assert result_places(forged(artifact, lambda body: body["result"].update(cost=cost.body()))) == []
