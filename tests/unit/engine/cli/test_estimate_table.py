"""How an estimate is shown: what a batch costs at most, and where that isn't known."""

from __future__ import annotations

import pytest

from dataset.artifacts.definition import planned_runs
from dataset.artifacts.price import Price
from engine.batches.estimate import Estimate, cost_text, estimate
from engine.cli.estimate_table import estimate_json, most_text, print_estimate
from engine.providers.model_entry import ModelEntry
from tests.factories.finance import finance_batch, scripted_model

PRICE = Price(currency="EUR", input_per_million="2", output_per_million="8", as_of="2026-01-31", source="s")
FREE = PRICE.model_copy(update={"input_per_million": "0", "output_per_million": "0"})


def bound(price: Price | None) -> Estimate:
    batch = finance_batch(models=[scripted_model("careful", price)])
    [found] = estimate(batch, list(planned_runs(batch.definition, batch.id)), {"careful": 1})
    return found


@pytest.mark.parametrize(
    ("known", "unknown", "scripted", "text"),
    [
        ({}, None, True, ""),
        ({}, "unknown", True, "unknown"),
        ({"USD": "0"}, None, True, "0 USD (scripted)"),
        ({"USD": "2", "EUR": "1"}, "unknown", True, "1 EUR + 2 USD (scripted) + unknown"),
        ({"USD": "2"}, None, False, "2 USD"),
    ],
)
def test_a_scripted_cost_is_marked_where_it_is_an_amount_and_no_unknown_one_becomes_0(
    known: dict[str, str], unknown: str | None, scripted: bool, text: str
) -> None:
    assert cost_text(known, unknown, scripted=scripted) == text


def test_a_scripted_model_costs_at_most_what_its_price_says() -> None:
    priced, free = bound(PRICE), bound(FREE)
    assert priced.cost is not None
    assert priced.cost.amount != "0"
    assert most_text(priced, scripted=True) == f"{priced.cost.amount} EUR (scripted)"
    assert most_text(free, scripted=True) == "0 EUR (scripted)"


def test_without_a_price_the_table_and_the_json_say_unknown_and_why(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    found = bound(None)
    assert most_text(found, scripted=True) == "unknown: no price in the model registry"
    assert estimate_json([found])[0]["cost"] is None
    entry = ModelEntry(
        key="careful", display_name="Careful", family="f", provider="p", wire_api="scripted", model_id="careful"
    )
    print_estimate([found], {"careful": entry})
    shown = " ".join(capsys.readouterr().out.split())
    assert "unknown: no price" in shown
    assert "scripted)" not in shown
