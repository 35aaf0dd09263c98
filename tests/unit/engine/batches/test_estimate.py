"""The most a batch can take, before anything is spent."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from dataset.artifacts.definition import planned_runs
from dataset.artifacts.price import Price
from engine.batches.estimate import estimate
from engine.batches.frozen_batch import FrozenBatch
from tests.factories.finance import events_of, finance_batch, finance_executor, finance_pack, scripted_model
from tests.factories.sections import sections_of

PRICE = Price(currency="EUR", input_per_million="2", output_per_million="8", as_of="2026-01-31", source="s")


ONCE = {"careful": 1, "careless": 1}


@pytest.fixture(scope="module")
def batch() -> FrozenBatch:
    return finance_batch(models=[scripted_model("careful", PRICE), scripted_model("careless")])


def test_each_run_takes_every_step_with_a_full_context(batch: FrozenBatch) -> None:
    pack = finance_pack()
    cases = [pack.questions[case.id] for case in batch.definition.cases]
    steps = sum(question.limits.over(pack.head.limits).max_steps for question in cases)
    found = estimate(batch, list(planned_runs(batch.definition, batch.id)), ONCE)[0]
    assert (found.model_key, found.runs, found.calls) == ("careful", 20, steps)
    assert found.input_tokens == steps * pack.variants["en-scoped-full"].context_budget
    most_output = pack.templates["english"].max_output_tokens
    assert most_output is not None
    assert found.output_tokens == steps * most_output
    assert found.cost is not None
    whole = found.input_tokens * 2 + found.output_tokens * 8
    assert (float(found.cost.amount), found.cost.currency) == (whole / 1_000_000, "EUR")


def test_a_model_without_a_price_has_an_unknown_cost_and_says_so(batch: FrozenBatch) -> None:
    bound = estimate(batch, list(planned_runs(batch.definition, batch.id)), ONCE)[1]
    assert (bound.cost, bound.cost_reason) == (None, "no price in the model registry")


def test_without_an_output_limit_the_cost_is_unknown_and_says_so() -> None:
    pack = finance_pack()
    template = pack.templates["english"].model_copy(update={"max_output_tokens": None})
    unlimited = replace(pack, templates={"english": template})
    open_ended = finance_batch(pack=unlimited, models=[scripted_model("careful", PRICE)])
    [bound] = estimate(open_ended, list(planned_runs(open_ended.definition, open_ended.id)), ONCE)
    assert (bound.output_tokens, bound.cost) == (None, None)
    assert bound.cost_reason == "the template sets no output limit"


def test_the_dearest_hour_and_a_tier_within_reach_of_one_call_count() -> None:
    """A tier that only all calls together would reach doesn't."""
    rates = {"input_per_million": "2", "output_per_million": "8"}
    tiers = [{**rates, "above_input_tokens": 10**6, "input_per_million": "900"}]
    night = {"from": "22:00", "to": "06:00", "input_per_million": "3", "output_per_million": "9", "tiers": []}
    dear = Price.model_validate({**PRICE.model_dump(), **rates, "tiers": tiers, "hours": [night]})
    batch = finance_batch(models=[scripted_model("careful", dear)])
    [bound] = estimate(batch, list(planned_runs(batch.definition, batch.id)), ONCE)
    assert bound.input_tokens > 10**6
    assert bound.output_tokens is not None
    assert bound.cost is not None
    assert float(bound.cost.amount) == (bound.input_tokens * 3 + bound.output_tokens * 9) / 1_000_000


def test_every_try_of_a_call_may_cost(batch: FrozenBatch) -> None:
    runs = list(planned_runs(batch.definition, batch.id))
    once, often = estimate(batch, runs, ONCE)[0], estimate(batch, runs, {**ONCE, "careful": 4})[0]
    assert once.output_tokens is not None
    assert (often.calls, often.input_tokens, often.output_tokens) == (
        4 * once.calls,
        4 * once.input_tokens,
        4 * once.output_tokens,
    )


def test_only_the_given_runs_count(batch: FrozenBatch) -> None:
    runs = [run for run in planned_runs(batch.definition, batch.id) if run.model_key == "careful"]
    careful, careless = estimate(batch, runs[:3], ONCE)
    assert (careful.runs, careless.runs, careless.calls) == (3, 0, 0)
    nothing = estimate(batch, [], ONCE)[0]
    assert nothing.cost is not None
    assert nothing.cost.amount == "0"


def test_no_real_run_exceeds_the_estimate(batch: FrozenBatch) -> None:
    executor, plans = finance_executor(batch=batch)
    runs = [plan for plan in plans if plan.model_key == "careless"][:6]
    bound = estimate(batch, runs, ONCE)[1]
    sections = [sections_of(asyncio.run(events_of(executor, plan))) for plan in runs]
    assert sum(found.result.model_steps for found in sections) <= bound.calls
    assert sum(step.tokens for found in sections for step in found.context.step_tokens) <= bound.input_tokens
