"""Frozen models: what came later leaves the hash of what never had it as it was."""

from __future__ import annotations

from typing import Any

from dataset.artifacts.definition import FrozenModel
from dataset.artifacts.price import Price

FIELDS: dict[str, Any] = {
    "key": "one",
    "display_name": "One",
    "family": "one",
    "model_id": "one-1",
    "parameters": {"temperature": "0", "seed": 7},
}
PRICE = Price(
    currency="USD", input_per_million="0.15", output_per_million="0.60", as_of="2026-01-31", source="https://x.example"
)
HOSTED = FrozenModel(provider="example-cloud", wire_api="openai_chat", synthetic=False, price=PRICE, **FIELDS)


def test_models_that_were_frozen_before_keep_their_hash() -> None:
    scripted = FrozenModel(provider="scripted", wire_api="scripted", synthetic=True, price=None, **FIELDS)
    assert HOSTED.digest() == "f8d2417bc56ae13e31dfdda09d660972082e599ec849b8f546c0e5d911c65da7"
    assert scripted.digest() == "dadb819ddd08b56bf91f53b543197df285338533868e55bd449f8b0a0bb014ca"


def test_what_is_stated_is_part_of_the_hash() -> None:
    stated: list[dict[str, Any]] = [
        {"tier": "value"},
        {"channel": "native"},
        {"provider_key": "example"},
        {"thinking": "enabled"},
        {"price": PRICE.model_copy(update={"cache_read_per_million": "0.01"})},
    ]
    changed = {HOSTED.model_copy(update=change).digest() for change in stated}
    assert len(changed | {HOSTED.digest()}) == len(stated) + 1


def test_a_judge_is_kept_away_by_the_provider_key_or_else_by_the_provider() -> None:
    assert HOSTED.exclusion_key == "example-cloud"
    assert HOSTED.model_copy(update={"provider_key": "example"}).exclusion_key == "example"
