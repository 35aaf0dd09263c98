from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from dataset.artifacts.artifact import SECTION_NAMES, Artifact, ToolStep
from dataset.artifacts.digest import open_artifact
from dataset.measures.verdict import derive_judgment
from dataset.record import BatchId
from publisher.gates.examination import Examination
from publisher.gates.interface import Fault
from tests.factories import JUDGE, VARIANTS, SampleSource, WordScanner, make_batch, make_case, reseal

BATCH = make_batch()
GOOD = SampleSource.of(BATCH)
EXAMINATION = Examination(WordScanner())


def faults(source: SampleSource) -> tuple[Fault, ...]:
    return EXAMINATION.examine(source).faults


def codes(source: SampleSource) -> set[str]:
    return {fault.code for fault in faults(source)}


def with_artifact(change: Callable[[Artifact], dict[str, Any]], position: int = 0) -> SampleSource:
    """The source with one artifact changed and sealed anew, its row's hash too."""
    artifact = open_artifact(GOOD.rows[position].data)
    data = reseal(artifact, **change(artifact))
    return GOOD.with_row(position, data=data, artifact_hash=open_artifact(data).artifact_hash)


def position_of(scenario: Callable[[Artifact], bool]) -> int:
    return next(i for i, row in enumerate(GOOD.rows) if scenario(open_artifact(row.data)))


EXECUTED = position_of(lambda artifact: any(step.kind == "tool" for step in artifact.steps))
FAILED = position_of(lambda artifact: artifact.judgment.verdict == "fail")


def test_a_sound_batch_passes_every_gate() -> None:
    assert faults(GOOD) == ()


def test_a_batch_that_does_not_exist_is_refused_with_GATE_BATCH_001() -> None:
    (fault,) = faults(SampleSource(batch_id=BatchId("nowhere"), stored=None))
    assert (fault.code, fault.batch_id) == ("GATE-BATCH-001", "nowhere")


def test_an_unfinished_batch_is_refused_with_GATE_BATCH_002() -> None:
    assert GOOD.stored is not None
    assert codes(replace(GOOD, stored=replace(GOOD.stored, finished=False))) == {"GATE-BATCH-002"}


def test_a_definition_that_is_not_its_hash_is_refused_with_GATE_BATCH_003() -> None:
    assert GOOD.stored is not None
    source = replace(GOOD, stored=replace(GOOD.stored, definition_hash="0" * 64))
    assert "GATE-BATCH-003" in codes(source)


def test_a_definition_that_the_store_does_not_believe_is_refused_with_its_reason() -> None:
    assert GOOD.stored is not None
    stored = replace(GOOD.stored, definition=None, pack=None, definition_fault="the definition was changed")
    (fault,) = faults(replace(GOOD, stored=stored))
    assert (fault.code, fault.message) == ("GATE-BATCH-003", "the definition was changed")


def test_a_missing_run_is_refused_with_GATE_RUNS_001() -> None:
    found = faults(replace(GOOD, rows=GOOD.rows[1:]))
    assert [(fault.code, fault.run_id) for fault in found] == [("GATE-RUNS-001", "batch-1-0001")]


def test_an_unplanned_run_is_refused_with_GATE_RUNS_002() -> None:
    found = faults(replace(GOOD, rows=[*GOOD.rows, *SampleSource.of(make_batch("batch-2")).rows[:1]]))
    assert ("GATE-RUNS-002", "batch-2-0001") in [(fault.code, fault.run_id) for fault in found]


def test_a_run_that_comes_twice_is_refused_with_GATE_RUNS_003() -> None:
    found = faults(replace(GOOD, rows=[*GOOD.rows, GOOD.rows[0]]))
    assert [(fault.code, fault.run_id) for fault in found] == [("GATE-RUNS-003", "batch-1-0001")]


RETRIED = SampleSource.of(
    make_batch(
        case_ids=("fund-nav",),
        model_keys=("careful",),
        scenario=lambda planned: "pass",
        earlier=lambda planned: ("invalid", "unstarted") if planned.position == 1 else (),
    )
)


def test_invalid_runs_that_were_tried_again_pass_every_gate() -> None:
    assert [row.run_id for row in RETRIED.rows] == [
        "batch-1-0001",
        "batch-1-0001-r2",
        "batch-1-0001-r3",
        "batch-1-0002",
    ]
    assert faults(RETRIED) == ()


def test_a_run_that_supersedes_none_there_is_is_refused_with_GATE_RUNS_002() -> None:
    found = faults(replace(RETRIED, rows=[RETRIED.rows[0], *RETRIED.rows[2:]]))
    assert [(fault.code, fault.run_id) for fault in found if "RUNS" in fault.code] == [
        ("GATE-RUNS-002", "batch-1-0001-r3")
    ]


def test_a_planned_run_of_which_only_later_ones_are_there_is_missing() -> None:
    found = faults(replace(RETRIED, rows=RETRIED.rows[1:]))
    assert ("GATE-RUNS-001", "batch-1-0001") in [(fault.code, fault.run_id) for fault in found]


def test_a_failed_run_that_was_tried_again_is_refused_with_GATE_RUNS_004() -> None:
    picked = make_batch(case_ids=("fund-nav",), scenario=lambda planned: "pass", earlier=lambda planned: ("fail",))
    found = faults(SampleSource.of(picked))
    assert {(fault.code, fault.run_id) for fault in found} == {
        ("GATE-RUNS-004", planned_id) for planned_id in picked.artifacts if "-r" not in planned_id
    }


def test_a_group_has_as_many_valid_runs_as_its_last_runs_are() -> None:
    batch = make_batch(
        case_ids=("fund-nav",),
        model_keys=("careful",),
        threshold="1",
        scenario=lambda planned: "pass",
        earlier=lambda planned: ("invalid",),
    )
    assert faults(SampleSource.of(batch)) == ()
    broken = make_batch(
        case_ids=("fund-nav",),
        model_keys=("careful",),
        threshold="1",
        scenario=lambda planned: "unstarted",
        earlier=lambda planned: ("invalid",),
    )
    assert codes(SampleSource.of(broken)) == {"GATE-VALID-001"}


@pytest.mark.parametrize("section", SECTION_NAMES)
def test_one_flipped_byte_in_a_section_is_refused_with_the_name_of_the_section(section: str) -> None:
    row = GOOD.rows[EXECUTED]
    found = faults(GOOD.with_row(EXECUTED, data=flip_in_section(row.data, section)))
    assert f"section {section}: digest differs" in {f.message for f in found if f.code == "GATE-SEAL-001"}


def flip_in_section(data: bytes, section: str) -> bytes:
    """Changes one digit or letter of a value in a section, so that the JSON stays JSON."""
    start = data.index(b'"%s":' % section.encode()) + len(section) + 3
    # a value, not a name: the first letter or digit after `:"` or `:` inside the section
    at = next(i for i in range(start + 1, len(data)) if data[i - 1 : i] in (b'"', b":") and is_value(data, i))
    flipped = b"1" if data[at : at + 1] != b"1" else b"2"
    if not data[at : at + 1].isdigit():
        flipped = b"x" if data[at : at + 1] != b"x" else b"y"
    return data[:at] + flipped + data[at + 1 :]


def is_value(data: bytes, at: int) -> bool:
    if data[at - 1 : at] == b":":
        return data[at : at + 1].isdigit()
    return data[at - 2 : at] == b':"' and data[at : at + 1].isalnum()


@pytest.mark.parametrize("part", ["salts", "digests", "artifact_hash", "run_id", "schema"])
def test_one_flipped_byte_outside_the_sections_is_refused(part: str) -> None:
    data = GOOD.rows[0].data
    start = data.index(b'"%s":' % part.encode()) + len(part) + 3
    at = next(i for i in range(start, len(data)) if data[i - 2 : i] == b':"')
    flipped = b"0" if data[at : at + 1] != b"0" else b"1"
    found = faults(GOOD.with_row(0, data=data[:at] + flipped + data[at + 1 :]))
    assert "GATE-SEAL-001" in {fault.code for fault in found}


def test_every_single_bit_of_an_artifact_counts() -> None:
    alone = SampleSource.of(make_batch(case_ids=("fund-nav",), model_keys=("careful",), variants=VARIANTS[:1]))
    assert codes(alone) == set()
    data = alone.rows[0].data
    for at in range(0, len(data), 97):
        bad = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
        assert codes(alone.with_row(0, data=bad)), f"byte {at}"


def test_a_row_hash_that_is_not_the_artifacts_is_refused_with_GATE_SEAL_002() -> None:
    assert codes(GOOD.with_row(0, artifact_hash="0" * 64)) == {"GATE-SEAL-002"}


def test_an_artifact_in_another_runs_row_is_refused_with_GATE_SEAL_003() -> None:
    other = GOOD.rows[1]
    assert "GATE-SEAL-003" in codes(GOOD.with_row(0, data=other.data, artifact_hash=other.artifact_hash))


@pytest.mark.parametrize(
    "field",
    ["bank_hash", "catalogue_hash", "definition_hash", "judge_version", "batch_id"],
)
def test_provenance_that_disagrees_is_refused_with_GATE_PROV_001(field: str) -> None:
    value = "f" * 64 if field.endswith("hash") else "other"
    source = with_artifact(lambda a: {"provenance": a.provenance.model_copy(update={field: value})})
    assert [(f.code, f.place) for f in faults(source)] == [("GATE-PROV-001", f"/provenance/{field}")]


def test_a_run_made_by_another_version_than_the_one_that_created_the_batch_is_no_fault() -> None:
    def change(artifact: Artifact) -> dict[str, Any]:
        code = artifact.provenance.code.model_copy(update={"version": "9.9.9", "commit": "f" * 40})
        return {"provenance": artifact.provenance.model_copy(update={"code": code})}

    assert faults(with_artifact(change)) == ()


@pytest.mark.parametrize("field", ["pack", "fixture_set", "prompt", "guardrails", "template"])
def test_a_reference_in_provenance_that_disagrees_is_refused_with_GATE_PROV_001(field: str) -> None:
    def change(artifact: Artifact) -> dict[str, Any]:
        entry = getattr(artifact.provenance, field).model_copy(update={"hash": "f" * 64})
        return {"provenance": artifact.provenance.model_copy(update={field: entry})}

    assert [(f.code, f.place) for f in faults(with_artifact(change))] == [
        ("GATE-PROV-001", f"/provenance/{field}/hash")
    ]


@pytest.mark.parametrize(
    ("field", "value"),
    [("key", "other"), ("requested", "other"), ("parameters", {"temperature": "1"}), ("synthetic", True)],
)
def test_a_model_that_disagrees_is_refused_with_GATE_PROV_001(field: str, value: object) -> None:
    def change(artifact: Artifact) -> dict[str, Any]:
        model = artifact.provenance.model.model_copy(update={field: value})
        return {"provenance": artifact.provenance.model_copy(update={"model": model})}

    found = faults(with_artifact(change))
    assert {f.code for f in found} <= {"GATE-PROV-001", "GATE-VALID-001"}
    assert any(f.place.startswith(f"/provenance/model/{field}") for f in found)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("version", 2),
        ("content_hash", "f" * 64),
        ("gold_version", 2),
        ("gold_hash", "f" * 64),
        ("variant_version", 2),
        ("variant_hash", "f" * 64),
        ("repeat", 2),
        ("question", "Another?"),
        ("login_state", "logged_in"),
        ("scene", "elsewhere"),
    ],
)
def test_a_case_that_disagrees_is_refused_with_GATE_PROV_001(field: str, value: object) -> None:
    source = with_artifact(lambda a: {"case": a.case.model_copy(update={field: value})})
    assert ("GATE-PROV-001", f"/case/{field}") in [(f.code, f.place) for f in faults(source)]


def test_a_pack_that_is_gone_is_refused_with_GATE_REF_001() -> None:
    assert GOOD.stored is not None
    source = replace(GOOD, stored=replace(GOOD.stored, pack=None, pack_fault="unknown pack"))
    assert codes(source) == {"GATE-REF-001"}


def test_a_bank_that_changed_since_is_refused_with_GATE_REF_002() -> None:
    assert GOOD.stored is not None
    assert GOOD.stored.pack is not None
    changed = make_case("fund-nav", text="reworded").question
    questions = dict(GOOD.stored.pack.questions) | {"fund-nav": changed}
    pack = replace(GOOD.stored.pack, questions=questions)
    found = faults(replace(GOOD, stored=replace(GOOD.stored, pack=pack)))
    assert ("GATE-REF-002", "definition/cases/0/hash") in [(f.code, f.place) for f in found]


def test_a_tool_that_is_not_in_the_catalogue_is_refused_with_GATE_REF_003() -> None:
    def change(artifact: Artifact) -> dict[str, Any]:
        loaded = artifact.visible_tools[0]
        tool = loaded.tools[0].model_copy(update={"schema_hash": "f" * 64})
        changed = loaded.model_copy(update={"tools": (tool, *loaded.tools[1:])})
        return {"visible_tools": (changed, *artifact.visible_tools[1:])}

    assert [(f.code, f.place) for f in faults(with_artifact(change))] == [
        ("GATE-PROV-001", "/visible_tools/0/tools/0/schema_hash"),
        ("GATE-REF-003", "/visible_tools/0/tools/0"),
    ]


@pytest.mark.parametrize(
    ("update", "code"),
    [
        ({"tool_version": 2}, "GATE-REF-003"),
        ({"tool_version": None}, "GATE-REF-003"),
        ({"reply_hash": "f" * 64}, "GATE-REF-004"),
        ({"reply_hash": None}, "GATE-REF-004"),
        ({"arguments_parsed": '{"code":"999999"}'}, "GATE-REF-004"),
        ({"arguments_parsed": "[]"}, "GATE-REF-004"),
    ],
)
def test_a_reply_that_was_not_frozen_is_refused(update: dict[str, Any], code: str) -> None:
    def change(artifact: Artifact) -> dict[str, Any]:
        steps = tuple(
            step.model_copy(update=update) if isinstance(step, ToolStep) and step.outcome == "executed" else step
            for step in artifact.steps
        )
        return {"steps": steps}

    assert code in codes(with_artifact(change, EXECUTED))


def test_a_computed_reply_without_the_arguments_of_its_function_is_refused_not_raised() -> None:
    def change(artifact: Artifact) -> dict[str, Any]:
        update = {"tool": "calculator", "source": "pure", "arguments_parsed": "{}"}
        steps = tuple(
            step.model_copy(update=update) if isinstance(step, ToolStep) and step.outcome == "executed" else step
            for step in artifact.steps
        )
        return {"steps": steps}

    assert {"GATE-REF-004", "GATE-JUDGE-001"} <= codes(with_artifact(change, EXECUTED))


@pytest.mark.parametrize("checks", ["kept", "dropped"])
def test_a_judge_without_known_rules_is_refused_with_GATE_JUDGE_001(checks: str) -> None:
    def change(artifact: Artifact) -> dict[str, Any]:
        kept = artifact.output_checks if checks == "kept" else ()
        return {"judgment": derive_judgment("kind-rules-v9", artifact.result, kept), "output_checks": kept}

    found = [(f.code, f.place) for f in faults(with_artifact(change, FAILED))]
    assert ("GATE-JUDGE-001", "/judgment/judge_version") in found


def test_an_assertion_that_the_gold_does_not_ask_is_refused_with_GATE_JUDGE_001() -> None:
    def change(artifact: Artifact) -> dict[str, Any]:
        kept = tuple(check for check in artifact.output_checks if check.passed)
        return {"judgment": derive_judgment(JUDGE, artifact.result, kept), "output_checks": kept}

    assert {(f.code, f.place) for f in faults(with_artifact(change, FAILED))} == {("GATE-JUDGE-001", "/output_checks")}


def test_a_judgment_that_does_not_follow_is_refused_with_GATE_JUDGE_001() -> None:
    def change(artifact: Artifact) -> dict[str, Any]:
        return {"judgment": artifact.judgment.model_copy(update={"verdict": "pass", "failure_reasons": ()})}

    found = faults(with_artifact(change, FAILED))
    assert {f.code for f in found} == {"GATE-JUDGE-001"}
    assert "/judgment/verdict" in {f.place for f in found}


def test_a_group_with_too_few_valid_runs_is_refused_with_GATE_VALID_001() -> None:
    source = SampleSource.of(make_batch(threshold="0.9"))
    (fault,) = faults(source)
    assert (fault.code, fault.place) == ("GATE-VALID-001", "careful × scoped-zh")
    assert "2 of 3" in fault.message


def test_a_group_right_at_the_threshold_passes() -> None:
    def scenario(planned: Any) -> Any:
        return "invalid" if planned.case_id == "fund-nav" else "pass"

    source = SampleSource.of(make_batch(case_ids=("fund-nav", "order-history"), threshold="0.5", scenario=scenario))
    assert faults(source) == ()


def test_a_secret_in_an_artifact_is_refused_with_GATE_SCAN_001_and_never_shown() -> None:
    source = SampleSource.of(make_batch(text="plantedsecret"))
    found = [fault for fault in faults(source) if fault.code == "GATE-SCAN-001"]
    assert {fault.run_id for fault in found} == {row.run_id for row in source.rows}
    assert not any("plantedsecret" in str(fault) for fault in found)


def test_an_artifact_that_can_not_be_opened_is_scanned_all_the_same() -> None:
    found = codes(GOOD.with_row(0, data=b"no JSON, but plantedsecret"))
    assert {"GATE-SEAL-001", "GATE-SCAN-001"} <= found


def test_all_faults_of_all_runs_are_told_at_once() -> None:
    source = GOOD.with_row(0, data=b"{}").with_row(1, artifact_hash="0" * 64)
    source = replace(source, rows=source.rows[:-1])
    found = faults(source)
    assert {"GATE-SEAL-001", "GATE-SEAL-002", "GATE-RUNS-001"} <= {fault.code for fault in found}
    assert {fault.run_id for fault in found if fault.run_id} == {"batch-1-0001", "batch-1-0002", "batch-1-0012"}


def test_a_step_that_follows_from_nothing_is_refused_with_GATE_JUDGE_001() -> None:
    def change(artifact: Artifact) -> dict[str, Any]:
        return {"guardrail_checks": artifact.guardrail_checks[1:]}

    assert [(f.code, f.place) for f in faults(with_artifact(change))] == [("GATE-JUDGE-001", "/steps/0")]
