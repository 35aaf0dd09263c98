"""Frozen models and cases: what came later leaves the hash of what never had it as it was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dataset.artifacts.definition import BatchDefinition, FrozenModel
from dataset.artifacts.price import Price

REPORTS = Path(__file__).parents[4] / "showcase-data" / "reports"

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


@pytest.mark.parametrize(
    ("batch_id", "digest"),
    [
        ("english-20261130-0389f9", "6c391b91a6260bd105bc0614538109901a1ff6a1f9232c55c264e855bb8899a6"),
        ("contrast-20261130-a3f7f5", "689c75e81395dd4cf42b62e006a777534db6fd8ae5f9da30c01c4866d97654e2"),
    ],
)
def test_a_published_definition_that_withholds_nothing_keeps_its_hash(batch_id: str, digest: str) -> None:
    published = json.loads((REPORTS / f"{batch_id}.json").read_bytes())["definition"]
    definition = BatchDefinition.model_validate_json(json.dumps(published), strict=True)
    assert definition.digest() == digest
    assert not any(case.withheld for case in definition.cases)
    first = definition.cases[0].model_copy(update={"withheld": ("steps", "guardrail_checks", "result")})
    held = definition.model_copy(update={"cases": (first, *definition.cases[1:])})
    assert held.digest() != digest
