"""Hard limits that can't be kept are told before anything is created."""

from __future__ import annotations

import pytest

from dataset.artifacts.definition import FrozenModel
from dataset.record import BatchId
from engine.ledger.policy import DEFAULT_POLICY
from engine.ledger.terms import BatchLimits, Terms
from engine.preflight.bounded import require_bounded
from engine.preflight.errors import PreflightError
from tests.factories.finance import finance_batch
from tests.unit.engine.preflight.test_bound import PRICE, entry


def check(model: FrozenModel, *, currency: str = "USD", input_reservation: int | None = 0, **limits: object) -> None:
    policy = DEFAULT_POLICY.model_copy(update={"currency": currency})
    terms = Terms(policy=policy, limits=BatchLimits.model_validate(limits), input_reservation=input_reservation)
    require_bounded(finance_batch(models=[model]).definition, BatchId("b1"), terms)


def test_a_limit_on_cost_needs_a_price_in_its_currency() -> None:
    check(entry(price=PRICE).freeze(), cost="2")
    for model, currency, told in (
        (entry(), "USD", "the model has no price"),
        (entry(price=PRICE), "EUR", "no dated exchange rate for USD/EUR"),
    ):
        with pytest.raises(PreflightError, match=told) as caught:
            check(model.freeze(), currency=currency, cost="2")
        assert caught.value.code == "LEDGER-UNBOUNDED-001"
        assert "models.toml" in caught.value.hint


def test_a_scripted_model_costs_nothing_and_a_limit_on_requests_needs_no_bound() -> None:
    check(entry().freeze().model_copy(update={"synthetic": True}), cost="2")
    check(entry().freeze(), requests=2)


def test_a_limit_on_tokens_needs_an_input_reservation() -> None:
    check(entry().freeze(), tokens=2)
    with pytest.raises(PreflightError, match="reserves no input"):
        check(entry().freeze(), tokens=2, input_reservation=None)
