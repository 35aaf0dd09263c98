from __future__ import annotations

from dataclasses import replace

from publisher.gates.examination import Examination
from publisher.gates.one_kind import release_faults
from tests.factories import SampleSource, WordScanner, make_batch, make_definition, make_model, make_template


def test_real_batches_together_pass() -> None:
    assert list(release_faults({"a": False, "b": False}, {"c": False})) == []


def test_a_synthetic_batch_beside_a_real_one_is_refused_with_GATE_KIND_002() -> None:
    assert [(f.code, f.batch_id) for f in release_faults({"a": False, "b": True}, {})] == [("GATE-KIND-002", "b")]


def test_what_the_target_holds_decides_which_kind_may_join() -> None:
    assert [f.batch_id for f in release_faults({"a": False, "b": True}, {"c": True})] == ["a"]


def test_nothing_new_has_no_kind() -> None:
    assert list(release_faults({}, {"c": True})) == []


def test_one_batch_of_both_kinds_is_refused_with_GATE_KIND_001() -> None:
    batch = make_batch()
    models = [make_model("careful"), make_model("careless", synthetic=True)]
    mixed = make_definition(batch.pack, template=make_template(), models=models, cases=batch.cases)
    source = SampleSource.of(batch)
    assert source.stored is not None
    source = replace(source, stored=replace(source.stored, definition=mixed, definition_hash=mixed.digest()))
    found = Examination(WordScanner()).examine(source).faults
    assert "GATE-KIND-001" in {fault.code for fault in found}
