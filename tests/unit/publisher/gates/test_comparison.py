"""What a release shows side by side has the same denominators, bank and judge; a replay has its parent's answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from dataset.artifacts.artifact import Artifact
from dataset.artifacts.definition import BatchDefinition
from dataset.artifacts.digest import open_artifact
from dataset.artifacts.disclosure import withhold
from dataset.artifacts.withdrawn import Withdrawn
from dataset.measures.run_facts import withdrawn_facts
from publisher.gates.comparison import Compared, carried_batches, comparison_faults, new_batch
from publisher.gates.examination import Examination
from tests.factories import SampleBatch, SampleSource, WordScanner, make_batch, reseal

EXAMINATION = Examination(WordScanner())
PARENT = make_batch("batch-1", case_ids=("fund-nav",))
REPLAY = make_batch("batch-2", case_ids=("fund-nav",), replay_of="batch-1")


def new(source: SampleSource) -> Compared:
    examined = EXAMINATION.examine(source)
    assert examined.exhibit is not None
    compared = new_batch(examined.exhibit, examined.account)
    assert compared is not None
    return compared


def carried(batch: SampleBatch, change: Callable[[bytes], bytes | None] = lambda data: data) -> Compared:
    files = {f"runs/{run_id}.json": change(data) for run_id, data in batch.artifacts.items()}
    (compared,) = carried_batches([batch.report], files.get)
    return compared


def changed(batch: Compared, **changes: Any) -> Compared:
    return replace(batch, definition=batch.definition.model_copy(update=changes))


def codes(new: list[Compared], carried: list[Compared] | None = None) -> list[tuple[str, str | None]]:
    return [(fault.code, fault.run_id) for fault in comparison_faults(new, carried or [])]


def test_batches_of_the_same_template_bank_and_judge_stand_side_by_side() -> None:
    other = make_batch("batch-9", case_ids=("fund-nav",), model_keys=("third",))
    assert codes([new(SampleSource.of(PARENT)), new(SampleSource.of(other))]) == []
    assert codes([new(SampleSource.of(other))], [carried(PARENT)]) == []


def test_another_number_of_runs_on_one_board_is_refused_with_GATE_COMPARE_001() -> None:
    one, other = make_batch("batch-1"), make_batch("batch-9")
    fewer = changed(new(SampleSource.of(other)), cases=other.definition.cases[:1])
    found = list(comparison_faults([fewer], [carried(one)]))
    assert [fault.code for fault in found] == ["GATE-COMPARE-001", "GATE-COMPARE-002"]
    assert found[0].batch_id == "batch-9"
    assert "2 runs a model, beside 6 in batch-1" in found[0].message


FOUNDATION: dict[str, Callable[[BatchDefinition], dict[str, Any]]] = {
    "catalogue": lambda d: {"catalogue_hash": "f" * 64},
    "fixtures": lambda d: {"fixture_set": d.fixture_set.model_copy(update={"hash": "f" * 64})},
    "guardrails": lambda d: {"guardrails": d.guardrails.model_copy(update={"hash": "f" * 64})},
    "limits": lambda d: {"limits": d.limits.model_copy(update={"max_steps": 3})},
    "prompts": lambda d: {"prompts": tuple(p.model_copy(update={"hash": "f" * 64}) for p in d.prompts)},
    "variants": lambda d: {"variants": tuple(v.model_copy(update={"hash": "f" * 64}) for v in d.variants)},
    "cases": lambda d: {"cases": tuple(c.model_copy(update={"gold_hash": "f" * 64}) for c in d.cases)},
}


@pytest.mark.parametrize("name", sorted(FOUNDATION))
def test_another_foundation_on_one_board_is_refused_with_GATE_COMPARE_002(name: str) -> None:
    other = new(SampleSource.of(make_batch("batch-9", case_ids=("fund-nav",))))
    other = changed(other, **FOUNDATION[name](other.definition))
    (fault,) = comparison_faults([other], [carried(PARENT)])
    assert fault.code == "GATE-COMPARE-002"
    assert f"other {name} than batch-1" in fault.message


def test_two_new_batches_are_held_to_each_other_and_told_once() -> None:
    one = new(SampleSource.of(PARENT))
    other = changed(new(SampleSource.of(make_batch("batch-9", case_ids=("fund-nav",)))), catalogue_hash="f" * 64)
    assert codes([one, other]) == [("GATE-COMPARE-002", None)]


@pytest.mark.parametrize("field", ["template_hash", "bank_hash", "judge_version"])
def test_batches_on_different_boards_may_differ_in_anything(field: str) -> None:
    other = new(SampleSource.of(make_batch("batch-9", case_ids=("fund-nav",))))
    assert codes([changed(other, **{field: "f" * 64}, catalogue_hash="f" * 64)], [carried(PARENT)]) == []


def test_a_batch_of_which_every_run_was_withdrawn_has_no_row_and_is_compared_with_nothing() -> None:
    report = PARENT.report
    gone = report.model_copy(update={"runs": tuple(map(withdrawn_facts, report.runs))})
    assert list(carried_batches([gone], lambda name: None)) == []
    some = report.model_copy(update={"runs": (withdrawn_facts(report.runs[0]), *report.runs[1:])})
    assert [batch.batch_id for batch in carried_batches([some], lambda name: None)] == ["batch-1"]


def test_a_batch_that_is_published_again_is_not_compared_with_itself() -> None:
    again = changed(new(SampleSource.of(PARENT)), catalogue_hash="f" * 64)
    assert codes([again], [carried(PARENT)]) == []


def test_what_a_case_withholds_makes_it_no_other_case() -> None:
    other = new(SampleSource.of(make_batch("batch-9", case_ids=("fund-nav",))))
    cases = tuple(case.model_copy(update={"withheld": ("visible_tools",)}) for case in other.definition.cases)
    assert codes([changed(other, cases=cases)], [carried(PARENT)]) == []


def test_a_batch_whose_arms_can_not_be_paired_is_refused_with_GATE_COMPARE_001() -> None:
    source = SampleSource.of(PARENT)
    assert source.stored is not None
    cases = (*PARENT.definition.cases, *PARENT.definition.cases)
    definition = PARENT.definition.model_copy(update={"cases": cases})
    source = replace(source, stored=replace(source.stored, definition=definition))
    found = [fault for fault in EXAMINATION.examine(source).faults if fault.code == "GATE-COMPARE-001"]
    assert [fault.place for fault in found] == ["careful", "careless"]
    assert all("contrast language" in fault.message for fault in found)


def test_a_batch_judged_again_has_its_parents_answers() -> None:
    replay = new(SampleSource.of(REPLAY))
    assert codes([replay], [carried(PARENT)]) == []
    assert codes([new(SampleSource.of(PARENT)), replay]) == []


def test_a_replay_without_its_parent_is_compared_with_nothing() -> None:
    assert codes([new(SampleSource.of(REPLAY))]) == []


def other_answer(artifact: Artifact) -> bytes:
    first = artifact.steps[0].model_copy(update={"text": "something else"})
    return reseal(artifact, steps=(first, *artifact.steps[1:]))


def with_another_answer(position: int = 0) -> SampleSource:
    source = SampleSource.of(REPLAY)
    data = other_answer(open_artifact(source.rows[position].data))
    return source.with_row(position, data=data, artifact_hash=open_artifact(data).artifact_hash)


def test_another_answer_than_the_parents_is_refused_with_GATE_COMPARE_003() -> None:
    replay = new(with_another_answer())
    assert codes([replay], [carried(PARENT)]) == [("GATE-COMPARE-003", "batch-2-0001")]
    assert codes([replay, new(SampleSource.of(PARENT))]) == [("GATE-COMPARE-003", "batch-2-0001")]


def test_where_the_parents_answers_are_withheld_their_counts_are_compared() -> None:
    hidden = carried(PARENT, lambda data: withhold(data, ("steps", "result", "guardrail_checks")))
    assert codes([new(SampleSource.of(REPLAY))], [hidden]) == []
    replay = new(SampleSource.of(REPLAY))
    longer = [line.model_copy(update={"output_tokens": 9}) for line in replay.lines[:1]]
    assert codes([replace(replay, lines=[*longer, *replay.lines[1:]])], [hidden]) == [
        ("GATE-COMPARE-003", "batch-2-0001")
    ]


def test_a_run_of_the_parent_that_was_invalid_or_withdrawn_may_have_been_answered_since() -> None:
    parent = carried(make_batch("batch-1", case_ids=("fund-nav",), scenario=lambda planned: "invalid"))
    assert codes([new(SampleSource.of(REPLAY))], [parent]) == []


def test_a_file_that_is_no_artifact_has_no_answers() -> None:
    gone = Withdrawn(
        run_id=PARENT.report.runs[0].run_id,
        batch_id=PARENT.batch_id,
        artifact_hash="f" * 64,
        reason="it was run on another machine",
        release=2,
    ).canonical
    for data in (gone, b"", b"{}", None):
        files = {"runs/batch-1-0001.json": data}
        (compared,) = carried_batches([PARENT.report], files.get)
        assert compared.answers("batch-1-0001") is None


def test_a_replay_of_another_design_is_refused_with_GATE_COMPARE_003() -> None:
    replay = changed(new(SampleSource.of(REPLAY)), models=PARENT.definition.models[:1])
    assert codes([replay], [carried(PARENT)]) == [("GATE-COMPARE-003", None)]


def test_a_replay_by_another_judge_and_version_of_the_code_is_no_other_design() -> None:
    replay = new(SampleSource.of(REPLAY))
    code = replay.definition.code.model_copy(update={"version": "9.9.9"})
    assert codes([changed(replay, judge_version="fixed-rules-v9", code=code)], [carried(PARENT)]) == []
