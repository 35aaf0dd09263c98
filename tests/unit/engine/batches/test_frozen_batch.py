"""A batch is frozen by version and hash: the same content has the same hash, any change is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from dataset.artifacts.definition import planned_runs
from dataset.artifacts.price import Price
from dataset.canonical import canonical_bytes
from dataset.questions.pack import Pack
from dataset.questions.question import LimitOverrides
from dataset.record import BatchId
from engine.batches.frozen_batch import FrozenBatch, FrozenBatchError, MixedModelsError
from tests.factories.finance import finance_batch, finance_pack, scripted_model

PRICE = Price(currency="USD", input_per_million="1", output_per_million="2", as_of="2026-01-31", source="s")


def with_question(pack: Pack, case_id: str, **changes: Any) -> Pack:
    question = pack.questions[case_id].model_copy(update=changes)
    return replace(pack, questions={**pack.questions, case_id: question})


@pytest.fixture(scope="module")
def pack() -> Pack:
    return finance_pack()


def test_freezing_twice_gives_the_same_hash(pack: Pack) -> None:
    first, second = finance_batch(pack=pack), finance_batch(pack=finance_pack())
    assert first.definition_hash == second.definition_hash
    assert first.definition.snapshot_hash == second.definition.snapshot_hash


def test_the_definition_survives_its_stored_form(pack: Pack) -> None:
    definition = finance_batch("contrast", pack=pack).definition
    stored = canonical_bytes(definition.body(), allow_floats=True)
    again = type(definition).model_validate_json(stored)
    assert again == definition
    assert again.digest() == definition.digest()


def test_every_entry_of_the_bank_is_covered(pack: Pack) -> None:
    base = finance_batch(pack=pack)
    case = next(iter(pack.questions))
    changed = with_question(pack, case, version=2)
    assert finance_batch(pack=changed).definition_hash != base.definition_hash
    assert finance_batch(pack=changed).definition.snapshot_hash != base.definition.snapshot_hash


def test_models_template_and_price_are_part_of_the_definition(pack: Pack) -> None:
    found = {
        finance_batch(pack=pack).definition_hash,
        finance_batch("contrast", pack=pack).definition_hash,
        finance_batch(pack=pack, models=[scripted_model("careful")]).definition_hash,
        finance_batch(pack=pack, models=[scripted_model("careful", PRICE)]).definition_hash,
    }
    assert len(found) == 4


def test_a_bank_that_changed_is_refused(pack: Pack) -> None:
    batch = finance_batch(pack=pack)
    case = next(iter(pack.questions))
    with pytest.raises(FrozenBatchError, match="b1 was frozen on pack finance v2") as caught:
        FrozenBatch(id=batch.id, definition=batch.definition, pack=with_question(pack, case, version=2))
    assert caught.value.code == "BATCH-FROZEN-001"


def test_the_config_hash_tells_apart_variant_model_and_limits(pack: Pack) -> None:
    batch = finance_batch("contrast", pack=pack)
    variants = [pack.variants[name] for name in batch.definition.template.variants]
    careful, careless = batch.models["careful"], batch.models["careless"]
    definition, own, tighter = batch.definition, LimitOverrides(), LimitOverrides(max_steps=1)
    hashes = {
        definition.config_hash(variant_hash=variants[0].digest(), model=careful, overrides=own),
        definition.config_hash(variant_hash=variants[1].digest(), model=careful, overrides=own),
        definition.config_hash(variant_hash=variants[0].digest(), model=careless, overrides=own),
        definition.config_hash(variant_hash=variants[0].digest(), model=careful, overrides=tighter),
    }
    assert len(hashes) == 4


def test_planned_runs_are_every_combination_once_with_fixed_numbers(pack: Pack) -> None:
    definition = finance_batch("contrast", pack=pack).definition
    runs = list(planned_runs(definition, BatchId("b1")))
    assert len(runs) == 20 * 4 * 2
    assert len({(r.case_id, r.variant_id, r.repeat, r.model_key) for r in runs}) == len(runs)
    assert [r.position for r in runs] == list(range(1, len(runs) + 1))
    assert [r.run_id for r in runs[:2]] == ["b1-0001", "b1-0002"]
    assert runs == list(planned_runs(definition, BatchId("b1")))
    order = [r.model_key for r in runs]
    assert order != sorted(order)


def test_scripted_and_real_models_are_refused_in_one_batch() -> None:
    real = scripted_model("careful").model_copy(update={"key": "real", "synthetic": False})
    with pytest.raises(MixedModelsError, match="careless"):
        finance_batch(models=[real, scripted_model("careless")])
