"""calls = (missing runs × remaining attempts × most steps + 1 canary) × HTTP tries."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from dataset.artifacts.definition import planned_runs
from engine.batches.frozen_batch import FrozenBatch
from engine.context.canary import CANARY_INPUT_TOKENS, CANARY_MESSAGES, CANARY_OUTPUT_TOKENS
from engine.context.opening import message_tokens
from engine.preflight.bound import most
from engine.preflight.paid import is_paid
from engine.providers.model_entry import ModelEntry
from engine.providers.registry import ModelRegistry
from tests.factories.finance import finance_batch, finance_pack

PRICE = {"currency": "USD", "input_per_million": "2", "output_per_million": "8", "as_of": "2026-01-31", "source": "s"}


def entry(**settings: object) -> ModelEntry:
    fields = {
        "key": "far",
        "display_name": "far",
        "family": "test",
        "provider": "test",
        "wire_api": "openai_chat",
        "model_id": "far-1",
        "base_url": "https://llm.example/v1",
        "max_retries": 2,
        **settings,
    }
    return ModelEntry.model_validate(fields)


def batch_of(model: ModelEntry) -> tuple[FrozenBatch, ModelRegistry]:
    registry = ModelRegistry(entries=(model,), owner_file=Path("models.toml"))
    return finance_batch(models=[model.freeze()]), registry


def test_missing_runs_attempts_steps_canary_and_tries_make_the_most_calls() -> None:
    batch, registry = batch_of(entry(price=PRICE))
    pack, runs = finance_pack(), list(planned_runs(batch.definition, batch.id))[:5]
    steps = sum(pack.questions[run.case_id].limits.over(pack.head.limits).max_steps for run in runs)
    [bound] = most(batch, runs, registry, attempts=3)
    assert (bound.runs, bound.calls) == (5, (steps * 3 + 1) * 3)
    budget, most_output = pack.variants["en-scoped-full"].context_budget, batch.definition.template.max_output_tokens
    assert most_output is not None
    assert bound.input_tokens == 3 * (steps * 3 * budget + CANARY_INPUT_TOKENS)
    assert bound.output_tokens == 3 * (steps * 3 * most_output + CANARY_OUTPUT_TOKENS)
    assert bound.cost is not None
    assert Decimal(bound.cost.amount) == Decimal(bound.input_tokens * 2 + bound.output_tokens * 8) / 10**6


def test_a_model_that_costs_nothing_gets_no_canary_and_neither_does_one_without_missing_runs() -> None:
    batch, registry = batch_of(entry(base_url="http://127.0.0.1:8080/v1"))
    runs = list(planned_runs(batch.definition, batch.id))[:1]
    [bound] = most(batch, runs, registry, attempts=1)
    assert bound.calls % 3 == 0
    assert (bound.cost, bound.cost_reason) == (None, "no price in the model registry")
    paid, registry = batch_of(entry(price=PRICE))
    assert most(paid, [], registry, attempts=3)[0].calls == 0


def test_a_replay_takes_no_call() -> None:
    batch, registry = batch_of(entry())
    definition = batch.definition.model_copy(update={"replay_of": "b0"})
    replay = FrozenBatch(id=batch.id, definition=definition, pack=batch.pack)
    assert most(replay, list(planned_runs(definition, batch.id)), registry, attempts=3) == ()


@pytest.mark.parametrize(
    ("settings", "paid"),
    [
        ({"base_url": "http://127.0.0.1:1/v1"}, False),
        ({"base_url": "http://localhost/v1"}, False),
        ({"base_url": "http://127.0.0.1:1/v1", "price": PRICE}, True),
        ({"base_url": "http://127.0.0.1:1/v1", "credential_env": "K"}, True),
        ({"base_url": "http://127.0.0.1:1/v1", "stored_credential": True}, True),
        ({"base_url": "https://llm.example/v1"}, True),
        ({"wire_api": "scripted", "base_url": None}, False),
    ],
)
def test_only_a_server_on_this_machine_without_price_and_key_is_free(settings: dict[str, object], paid: bool) -> None:
    assert is_paid(entry(**settings)) is paid


def test_what_a_canary_reserves_is_many_times_what_it_says() -> None:
    assert sum(map(message_tokens, CANARY_MESSAGES)) * 5 < CANARY_INPUT_TOKENS
