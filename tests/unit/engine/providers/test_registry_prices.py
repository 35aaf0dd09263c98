"""Prices and exchange rates of the registry: what is read, and how every fault is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.providers.registry import ModelRegistry, RegistryError

MODEL = """\
[[models]]
key = "hosted"
display_name = "Hosted"
family = "example2.5"
provider = "example-cloud"
wire_api = "openai_chat"
model_id = "example-large"
base_url = "https://llm.example/v1"
price = "large-2026"
"""
PRICES = """\

[[prices]]
id = "large-2025"
status = "archived"
currency = "USD"
input_per_million = 9
output_per_million = 9
as_of = 2025-01-31
source = "https://llm.example/pricing"

[[prices]]
id = "large-2026"
currency = "USD"
input_per_million = 2
output_per_million = 8.50
cache_read_per_million = 0.2
reasoning_per_million = 9
as_of = 2026-01-31
source = "https://llm.example/pricing"
tiers = [
  { above_input_tokens = 200_000, input_per_million = 4, output_per_million = 12 },
]

[[prices.hours]]
from = "16:30"
to = "00:30"
input_per_million = 1
output_per_million = 4.25

[[prices.hours.tiers]]
above_input_tokens = 200_000
input_per_million = 2
output_per_million = 6
"""
RATES = """\

[[fx]]
pair = "USD/CNY"
rate = 7
as_of = 2026-01-31
source = "central bank"

[[fx]]
pair = "EUR/CNY"
rate = "8.1"
as_of = 2026-01-31
source = "central bank"
"""
GOOD = MODEL + PRICES + RATES


def load(tmp_path: Path, text: str) -> ModelRegistry:
    (tmp_path / "models.toml").write_text(text, encoding="utf-8")
    return ModelRegistry.load(tmp_path)


def faults(tmp_path: Path, text: str) -> list[tuple[int | None, str, str]]:
    with pytest.raises(RegistryError) as caught:
        load(tmp_path, text)
    return [(fault.line, fault.field, fault.message) for fault in caught.value.faults]


def test_a_model_has_the_price_that_it_names(tmp_path: Path) -> None:
    price = load(tmp_path, GOOD).entry("hosted").freeze().price
    assert price is not None
    assert (price.input_per_million, price.output_per_million, price.as_of) == ("2", "8.50", "2026-01-31")
    assert price.rates_of(200_001, "2026-03-31T08:00:00.000Z").output_per_million == "12"
    assert price.rates_of(200_001, "2026-03-31T17:00:00.000Z").output_per_million == "6"
    assert price.rates_of(200_000, "2026-03-31T17:00:00.000Z").output_per_million == "4.25"


def test_a_price_that_is_named_and_one_that_stands_inside_freeze_to_the_same(tmp_path: Path) -> None:
    named = load(tmp_path, GOOD).entry("hosted").freeze()
    inside = PRICES.split("[[prices]]\n")[2].replace('id = "large-2026"\n', "").replace("[prices.", "[models.price.")
    text = MODEL.replace('price = "large-2026"\n', "\n[models.price]\n") + inside
    assert load(tmp_path, text).entry("hosted").freeze() == named


def test_exchange_rates_are_read_with_exact_decimals(tmp_path: Path) -> None:
    found = load(tmp_path, GOOD).fx
    assert [(rate.pair, rate.rate, rate.as_of) for rate in found] == [
        ("USD/CNY", "7", "2026-01-31"),
        ("EUR/CNY", "8.1", "2026-01-31"),
    ]


def test_an_active_model_with_an_archived_price_is_refused_with_both_places(tmp_path: Path) -> None:
    text = GOOD.replace('price = "large-2026"', 'price = "large-2025"')
    [(line, field, message)] = faults(tmp_path, text)
    assert (line, field) == (9, "model 'hosted', price")
    assert f"price 'large-2025' at {tmp_path / 'models.toml'}:11 is archived" in message
    archived = text.replace('price = "large-2025"', 'price = "large-2025"\nstatus = "archived"')
    assert load(tmp_path, archived).find("hosted").price is not None


def test_a_price_id_that_no_table_has_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    [(line, field, message)] = faults(tmp_path, GOOD.replace('price = "large-2026"', 'price = "large"'))
    assert (line, field) == (9, "model 'hosted', price")
    assert message.endswith("known: large-2025, large-2026")


def test_a_faulty_price_is_told_once_and_the_models_own_faults_too(tmp_path: Path) -> None:
    text = GOOD.replace("output_per_million = 8.50", "output_per_million = -1").replace('"Hosted"', "1")
    assert sorted(field for _, field, _ in faults(tmp_path, text)) == [
        "model 'hosted', display_name",
        "price 'large-2026', output_per_million",
    ]


@pytest.mark.parametrize(
    ("old", "new", "line", "field", "message"),
    [
        ('price = "large-2026"', "price = 2026", 9, "price", "or the id of a [[prices]] table in quotes"),
        ('id = "large-2025"', 'id = "large-2026"', 21, "price 'large-2026', id", "already taken at"),
        ('id = "large-2025"', "", 11, "price, id", "is missing"),
        ('id = "large-2025"', 'idd = "large-2025"', 12, "price, idd", "did you mean id?"),
        ('status = "archived"', 'status = "old"', 13, "price 'large-2025', status", "must be 'active' or 'archived'"),
        ("input_per_million = 9", "input_per_million = true", 15, "input_per_million", "must be text in quotes"),
        ("as_of = 2025-01-31", "as_of = 2025", 17, "price 'large-2025', as_of", "must be text in quotes"),
        ("above_input_tokens = 200_000, ", "", 29, "tiers.0.above_input_tokens", "is missing"),
        ("= 200_000, ", "= 1.5, ", 29, "tiers.0.above_input_tokens", "must be a whole number"),
        ("= 200_000, ", "= 0, ", 29, "tiers.0.above_input_tokens", "must be at least 1"),
        ("input_per_million = 4,", "", 29, "tiers.0.input_per_million", "is missing"),
        ('from = "16:30"', 'from = "4 pm"', 34, "hours.0.from", 'a time of day in quotes, such as "16:30"'),
        ('from = "16:30"', "from = 16:30:00", 34, "hours.0.from", "must be text in quotes"),
        ('from = "16:30"', 'from = "00:30"', 33, "hours.0", "can't end when it starts"),
        ('to = "00:30"', 'to = "00:30"\nzone = "CET"', 36, "hours.0.zone", "must be 'UTC'"),
        ('pair = "USD/CNY"', 'pair = "USD-CNY"', 45, "exchange rate, pair", "two currencies such as USD/CNY"),
        ('pair = "USD/CNY"', 'pair = "CNY/CNY"', 44, "exchange rate 'CNY/CNY'", "two different currencies"),
        ('pair = "USD/CNY"', 'pair = "EUR/CNY"', 51, "exchange rate 'EUR/CNY', pair", "already taken at"),
        ("rate = 7", "rate = 0", 44, "exchange rate 'USD/CNY'", "can't be 0"),
        ("rate = 7", "rate = -7", 46, "exchange rate 'USD/CNY', rate", "a number from 0 up"),
        ("rate = 7", "", 44, "exchange rate 'USD/CNY', rate", "is missing"),
    ],
)
def test_fault_is_named_with_its_line_and_field(
    tmp_path: Path, old: str, new: str, line: int, field: str, message: str
) -> None:
    assert old in GOOD
    found = faults(tmp_path, GOOD.replace(old, new, 1))
    assert any(at == line and field in name and message in told for at, name, told in found), found


def test_a_window_needs_tiers_of_its_own_where_the_price_has_some(tmp_path: Path) -> None:
    bare = GOOD[: GOOD.index("[[prices.hours.tiers]]")]
    [(line, field, message)] = faults(tmp_path, bare)
    assert (line, field) == (20, "price 'large-2026'")
    assert "give each window its own tiers" in message


@pytest.mark.parametrize("text", ["prices = 3\n", "fx = [3]\n"])
def test_a_list_of_something_else_is_refused(tmp_path: Path, text: str) -> None:
    [(_, _, message)] = faults(tmp_path, text)
    assert "must be tables, each under its own [[" in message
