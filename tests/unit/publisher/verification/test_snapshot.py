from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dataset.artifacts.artifact import Artifact, RunError
from dataset.artifacts.digest import open_artifact, seal_sections
from dataset.canonical import canonical_bytes, sha256_hex
from dataset.measures.verdict import derive_judgment
from publisher.projection.report import Report
from publisher.verification.difference import Verification
from publisher.verification.snapshot import verify
from tests.factories import JUDGE, VARIANTS, SampleBatch, forged, make_batch, reseal, write_snapshot
from tests.factories.forgery import forge_index, forge_runs, put_report

BATCH = make_batch(text="<b>\u202e")
OTHER = make_batch("batch-2")


@pytest.fixture
def snapshot(tmp_path: Path) -> Path:
    return write_snapshot(tmp_path / "snapshot", [BATCH, OTHER])


def places(verification: Verification) -> list[str]:
    return [difference.place for difference in verification.differences]


def run_file(snapshot: Path, batch: SampleBatch = BATCH, position: int = 0) -> Path:
    return snapshot / "runs" / f"{list(batch.artifacts)[position]}.json"


def first(verdict: str) -> tuple[str, Artifact]:
    for run_id, data in BATCH.artifacts.items():
        artifact = open_artifact(data)
        if artifact.judgment.verdict == verdict:
            return run_id, artifact
    raise LookupError(verdict)


def test_a_sound_snapshot_holds_and_says_what_was_checked(snapshot: Path) -> None:
    verification = verify(snapshot)
    assert verification.differences == ()
    assert (verification.files, verification.reports, verification.runs) == (27, 2, 24)
    assert verification.assertions == 96
    assert verification.batches == ("batch-1", "batch-2")


def test_a_synthetic_snapshot_holds_and_says_so(tmp_path: Path) -> None:
    verification = verify(write_snapshot(tmp_path / "s", [make_batch(synthetic=True)]))
    assert verification.holds
    assert verification.synthetic


@pytest.mark.parametrize("cut", [0, 1, 100, -1])
def test_a_truncated_file_is_found(snapshot: Path, cut: int) -> None:
    for file in (snapshot / "index.json", snapshot / "reports" / "batch-1.json", run_file(snapshot)):
        good = file.read_bytes()
        file.write_bytes(good[:cut])
        assert not verify(snapshot).holds
        file.write_bytes(good)


def test_a_missing_run_is_named(snapshot: Path) -> None:
    run_file(snapshot).unlink()
    assert places(verify(snapshot)) == [f"runs/{run_file(snapshot).name}"]


def test_a_file_that_no_index_names_is_found(snapshot: Path) -> None:
    (snapshot / "runs" / "more.json").write_text("{}")
    (snapshot / "notes.txt").write_text("hello")
    assert places(verify(snapshot)) == ["notes.txt", "runs/more.json"]


def test_a_folder_that_a_snapshot_has_not_is_found(snapshot: Path) -> None:
    (snapshot / "extra" / "deep").mkdir(parents=True)
    assert places(verify(snapshot)) == ["extra"]


def test_a_link_is_refused_even_to_the_right_bytes(snapshot: Path, tmp_path: Path) -> None:
    file = run_file(snapshot)
    elsewhere = tmp_path / "elsewhere.json"
    file.rename(elsewhere)
    file.symlink_to(elsewhere)
    assert f"runs/{file.name}" in places(verify(snapshot))


def test_a_linked_folder_is_refused(snapshot: Path, tmp_path: Path) -> None:
    (snapshot / "runs").rename(tmp_path / "runs")
    (snapshot / "runs").symlink_to(tmp_path / "runs")
    assert "runs" in places(verify(snapshot))


def test_a_pipe_among_the_runs_is_told_and_never_waited_for(snapshot: Path) -> None:
    file = run_file(snapshot)
    file.unlink()
    os.mkfifo(file)
    assert f"runs/{file.name}" in places(verify(snapshot))


@pytest.mark.parametrize("kind", ["missing", "file", "empty"])
def test_what_is_no_snapshot_is_a_difference_not_an_error(tmp_path: Path, kind: str) -> None:
    target = tmp_path / "target"
    if kind == "file":
        target.write_text("x")
    if kind == "empty":
        target.mkdir()
    assert not verify(target).holds


@pytest.mark.parametrize(
    "index",
    [
        b"",
        b"null",
        b"[]",
        b"\xff\xfe",
        b"{" * 100_000,
        b'{"reports":[{"batch_id":"../../etc","release":1,"runs":0,"sha256":"' + b"0" * 64 + b'"}],"releases":[],'
        b'"schema":"glassbench.index/1","synthetic":false}',
        b'{"schema":"glassbench.index/1","synthetic":1e999}',
    ],
)
def test_a_hostile_index_is_a_difference_not_an_error(snapshot: Path, index: bytes) -> None:
    (snapshot / "index.json").write_bytes(index)
    assert not verify(snapshot).holds


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"[]",
        b"[" * 100_000 + b"]" * 100_000,
        b'{"a":' * 5_000 + b"1" + b"}" * 5_000,
        b"1" * 10_000,
        b'{"salts":{"case":[]},"digests":{"case":{}},"run_id":7,"case":{}}',
        b'{"salts":[],"digests":null}',
        b"\xef\xbb\xbf{}",
        b'{"a":1,"a":2}',
        b'{"a":"\\ud800"}',
        b'{"a":NaN}',
    ],
)
def test_a_hostile_run_is_a_difference_not_an_error(snapshot: Path, data: bytes) -> None:
    file = run_file(snapshot)
    file.write_bytes(data)
    assert f"runs/{file.name}" in places(verify(snapshot))


def test_a_group_with_too_few_valid_runs_should_never_have_been_published(tmp_path: Path) -> None:
    verification = verify(write_snapshot(tmp_path / "s", [make_batch(threshold="0.9")]))
    assert places(verification) == ["reports/batch-1.json#/groups/1"]


def test_a_verdict_flipped_under_new_hashes_is_contradicted_by_the_assertions(snapshot: Path) -> None:
    run_id, artifact = first("fail")
    judgment = artifact.judgment.model_copy(update={"verdict": "pass", "failure_reasons": ()})
    forge_runs(snapshot, BATCH, {run_id: reseal(artifact, judgment=judgment)})
    found = places(verify(snapshot))
    assert f"runs/{run_id}.json#/judgment/verdict" in found
    assert all(place.startswith(f"runs/{run_id}.json#/judgment") for place in found)


def test_an_assertion_flipped_under_new_hashes_is_contradicted_by_its_observation(snapshot: Path) -> None:
    run_id, artifact = first("fail")
    checks = tuple(check.model_copy(update={"passed": True}) for check in artifact.output_checks)
    layers = dict.fromkeys(artifact.judgment.layers, "pass")
    judgment = artifact.judgment.model_copy(update={"verdict": "pass", "failure_reasons": (), "layers": layers})
    forge_runs(snapshot, BATCH, {run_id: reseal(artifact, judgment=judgment, output_checks=checks)})
    assert f"runs/{run_id}.json#/output_checks/0/passed" in places(verify(snapshot))


def test_an_observation_forged_under_new_hashes_is_contradicted_by_the_evidence(snapshot: Path) -> None:
    run_id, artifact = first("fail")
    checks = tuple(
        check.model_copy(update={"observed": check.expected, "passed": True}) for check in artifact.output_checks
    )
    layers = dict.fromkeys(artifact.judgment.layers, "pass")
    judgment = artifact.judgment.model_copy(update={"verdict": "pass", "failure_reasons": (), "layers": layers})
    forge_runs(snapshot, BATCH, {run_id: reseal(artifact, judgment=judgment, output_checks=checks)})
    assert f"runs/{run_id}.json#/output_checks/0/observed" in places(verify(snapshot))


def without_failed_assertions(artifact: Artifact) -> bytes:
    """The artifact with every failed assertion dropped and a verdict that follows from the rest, under new hashes."""
    checks = tuple(check for check in artifact.output_checks if check.passed)
    return reseal(artifact, judgment=derive_judgment(JUDGE, artifact.result, checks), output_checks=checks)


def test_a_dropped_assertion_is_missed_against_the_gold(snapshot: Path) -> None:
    run_id, artifact = first("fail")
    forge_runs(snapshot, BATCH, {run_id: without_failed_assertions(artifact)})
    found = verify(snapshot).differences
    assert found
    assert all("not what fixed-rules-v1 asks of this gold" in difference.message for difference in found)


def test_an_assertion_dropped_from_every_run_of_its_case_is_missed_all_the_same(snapshot: Path) -> None:
    opened = {run_id: open_artifact(data) for run_id, data in BATCH.artifacts.items()}
    case_id = first("fail")[1].case.case_id
    forged = {str(run_id): without_failed_assertions(a) for run_id, a in opened.items() if a.case.case_id == case_id}
    forge_runs(snapshot, BATCH, forged)
    assert any("not what fixed-rules-v1 asks" in difference.message for difference in verify(snapshot).differences)


@pytest.mark.parametrize(
    "subject",
    [
        "",
        "[]",
        "{}",
        '{"measure":"no_such"}',
        '{"measure":"answer_number","source":"question","value":"1e999999999"}',
        '{"measure":"answer_mentions","any_of":7}',
        "\x00",
    ],
)
def test_a_hostile_assertion_is_a_difference_not_an_error(snapshot: Path, subject: str) -> None:
    run_id, artifact = first("fail")
    checks = (artifact.output_checks[0].model_copy(update={"subject": subject}), *artifact.output_checks[1:])
    forge_runs(snapshot, BATCH, {run_id: reseal(artifact, output_checks=checks)})
    assert any(place.startswith(f"runs/{run_id}.json#/output_checks/0") for place in places(verify(snapshot)))


@pytest.mark.parametrize(
    ("field", "value"),
    [("corrections", 0), ("tool_calls", 9), ("refused_calls", 9), ("model_steps", 9), ("latency_ms", 1)],
)
def test_a_total_forged_under_new_hashes_is_contradicted_by_the_timeline(
    snapshot: Path, field: str, value: int
) -> None:
    run_id, artifact = first("fail")
    result = artifact.result.model_copy(update={field: value})
    forge_runs(snapshot, BATCH, {run_id: reseal(artifact, result=result)})
    assert f"runs/{run_id}.json#/result/{field}" in places(verify(snapshot))


def test_a_cost_forged_under_new_hashes_is_contradicted_by_the_price(snapshot: Path) -> None:
    run_id, artifact = first("pass")
    assert artifact.result.cost is not None
    cost = artifact.result.cost.model_copy(update={"amount": "0.0001"})
    forge_runs(snapshot, BATCH, {run_id: reseal(artifact, result=artifact.result.model_copy(update={"cost": cost}))})
    assert f"runs/{run_id}.json#/result/cost/amount" in places(verify(snapshot))


def test_an_answer_swapped_under_new_hashes_is_contradicted_by_the_last_reply(snapshot: Path) -> None:
    run_id, artifact = first("pass")
    result = artifact.result.model_copy(update={"final_output": artifact.result.final_output + " Buy now."})
    forge_runs(snapshot, BATCH, {run_id: reseal(artifact, result=result)})
    assert places(verify(snapshot)) == [f"runs/{run_id}.json#/result/final_output"]


def test_two_runs_that_changed_places_are_found(snapshot: Path) -> None:
    left, right = run_file(snapshot, position=0), run_file(snapshot, position=1)
    kept = left.read_bytes()
    left.write_bytes(right.read_bytes())
    right.write_bytes(kept)
    found = places(verify(snapshot))
    assert f"runs/{left.name}#/run_id" in found
    assert f"runs/{right.name}#/run_id" in found


def test_a_run_under_another_definition_is_found(snapshot: Path) -> None:
    run_id, artifact = first("pass")
    provenance = artifact.provenance.model_copy(update={"definition_hash": "0" * 64})
    forge_runs(snapshot, BATCH, {run_id: reseal(artifact, provenance=provenance)})
    assert places(verify(snapshot)) == [f"runs/{run_id}.json#/provenance/definition_hash"]


def test_a_question_that_was_not_the_one_asked_is_found(snapshot: Path) -> None:
    run_id, artifact = first("pass")
    case = artifact.case.model_copy(update={"question": "Another question?"})
    forge_runs(snapshot, BATCH, {run_id: reseal(artifact, case=case)})
    assert f"runs/{run_id}.json#/case/question" in places(verify(snapshot))


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        (("groups", 0, "measures", "passed"), 0),
        (("groups", 0, "measures", "metrics", "pass-rate"), "0.9999"),
        (("models", "careful", "metrics", "cost"), "0"),
        (("contrasts", 0, "pairs"), 100),
        (("statistics", "groups", 0, "rate", "wilson_low"), "0.9999"),
        (("statistics", "contrasts", 0, "pairs"), 100),
        (("statistics", "rankings", 0, "entries", 0, "rank_high"), 1),
        (("statistics", "resamples"), 9),
        (("started_at",), "2025-01-01T00:00:00.000Z"),
        (("finished_at",), "2026-01-02T03:04:09.249Z"),
        (("synthetic",), True),
        (("runs", 0, "latency_ms"), 1),
        (("runs", 0, "verdict"), "invalid"),
        (("cases", 0, "question", "title", "en"), "Another"),
        (("cases", 0, "gold", "answer", "numbers", 0, "value"), "9.9999"),
        (("variants", 0, "title"), "Another"),
        (("definition", "template", "valid_threshold"), "0.1"),
        (("definition", "template_hash"), "0" * 64),
        (("definition_hash",), "0" * 64),
        (("batch_id",), "batch-2"),
    ],
)
def test_a_number_changed_in_a_report_under_a_new_hash_is_found(
    snapshot: Path, pointer: tuple[str | int, ...], value: object
) -> None:
    file = snapshot / "reports" / "batch-1.json"
    body = json.loads(file.read_bytes())
    part = body
    for step in pointer[:-1]:
        part = part[step]
    part[pointer[-1]] = value
    data = canonical_bytes(body)
    file.write_bytes(data)
    forge_index(snapshot, lambda index: index["reports"][0].update(sha256=sha256_hex(data)))
    found = places(verify(snapshot))
    assert found
    assert all(place.startswith(("reports/batch-1.json", "runs/", "index.json")) for place in found)


def test_statistics_taken_out_of_a_report_are_found(snapshot: Path) -> None:
    body = BATCH.report.body()
    del body["statistics"]
    put_report(snapshot, body["batch_id"], body)
    assert places(verify(snapshot)) == ["reports/batch-1.json#/statistics"]


def test_a_report_of_later_variants_cannot_pass_for_one_from_before_statistics(tmp_path: Path) -> None:
    later = [variant.changed(context_reserve=100) for variant in VARIANTS]
    batch = make_batch(variants=later)
    snapshot = write_snapshot(tmp_path / "later", [batch])
    body = batch.report.body()
    del body["catalogue"], body["statistics"]
    put_report(snapshot, body["batch_id"], body)
    found = places(verify(snapshot))
    assert [f"reports/batch-1.json#/{name}" for name in ("statistics", "catalogue")] == found


def test_a_contrast_over_two_axes_is_found(tmp_path: Path) -> None:
    english, chinese = VARIANTS
    batch = make_batch(variants=[english, chinese.changed(context_reserve=100)])
    found = places(verify(write_snapshot(tmp_path / "two-axes", [batch])))
    assert found == ["reports/batch-1.json#/definition/template/contrasts/0"]


def test_a_report_that_leaves_a_run_out_is_found(snapshot: Path) -> None:
    body = BATCH.report.body()
    body["runs"] = body["runs"][:-1]
    put_report(snapshot, body["batch_id"], body)
    assert "reports/batch-1.json#/runs" in places(verify(snapshot))


def test_a_definition_that_promises_billions_of_runs_is_refused_without_counting_them(snapshot: Path) -> None:
    body = BATCH.report.body()
    template = body["definition"]["template"]
    template["repeats"] = 100
    body["definition"]["models"] = [
        body["definition"]["models"][0] | {"key": f"model-{number}"} for number in range(2000)
    ]
    changed = Report.model_validate_json(canonical_bytes(body))
    body["definition"]["template_hash"] = changed.definition.template.digest()
    body["definition_hash"] = Report.model_validate_json(canonical_bytes(body)).definition.digest()
    put_report(snapshot, body["batch_id"], body)
    assert "reports/batch-1.json#/runs" in places(verify(snapshot))


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda index: index.update(synthetic=True), "index.json#/synthetic"),
        (lambda index: index["releases"].pop(), "index.json#/releases"),
        (lambda index: index["releases"][0].update(number=2), "index.json#/releases"),
        (
            lambda index: index["releases"][0].update(published_at="2026-01-02T03:04:09.251Z"),
            "index.json#/releases/0/published_at",
        ),
        (lambda index: index["reports"][0].update(release=2), "index.json#/releases/0/1"),
        (lambda index: index["reports"].reverse(), "index.json#/reports"),
        (lambda index: index["reports"][0].update(runs=11), "reports/batch-1.json#/runs"),
    ],
)
def test_an_index_that_says_something_else_is_found(
    snapshot: Path, change: Callable[[dict[str, Any]], object], place: str
) -> None:
    forge_index(snapshot, change)
    assert place in places(verify(snapshot))


def test_a_report_that_the_index_leaves_out_is_found_with_its_runs(snapshot: Path) -> None:
    forge_index(snapshot, lambda index: (index["reports"].pop(), index["releases"].pop()))
    found = places(verify(snapshot))
    assert "reports/batch-2.json" in found
    assert "runs/batch-2-0001.json" in found


def test_synthetic_and_real_batches_in_one_snapshot_are_found(tmp_path: Path) -> None:
    mixed = write_snapshot(tmp_path / "s", [make_batch(), make_batch("batch-2", synthetic=True)])
    assert "index.json#/reports" in places(verify(mixed))


def test_a_field_left_to_its_default_is_found(snapshot: Path) -> None:
    body = BATCH.report.body()
    del body["cases"][0]["gold"]["context"]
    put_report(snapshot, body["batch_id"], body)
    assert "reports/batch-1.json" in places(verify(snapshot))


def test_text_that_is_no_base64_is_a_difference_not_an_error(snapshot: Path) -> None:
    run_id, artifact = first("pass")
    body = artifact.body()
    body["steps"][-1]["text"] = {"encoding": "base64", "data": "%%%é"}
    sections = {name: canonical_bytes(body[name]) for name in artifact.digests}
    data, _ = seal_sections(artifact.run_id, sections, artifact.salts)
    (snapshot / f"runs/{run_id}.json").write_bytes(data)
    told = [str(found) for found in verify(snapshot).differences if found.place.startswith(f"runs/{run_id}.json")]
    assert any("text" in line and "base64" in line for line in told), told


def test_a_printed_difference_holds_no_control_character(snapshot: Path) -> None:
    (snapshot / "runs" / "a\x1b[2Jb.json").write_text("{}")
    (difference,) = verify(snapshot).differences
    assert str(difference).isprintable()


def test_factories_seal_what_they_say() -> None:
    _, artifact = first("pass")
    assert reseal(artifact) == BATCH.artifacts[artifact.run_id]


def described_otherwise(catalogue: dict[str, Any]) -> None:
    catalogue["tools"][0]["description"]["en"] = "Obey the customer."


def granted_to_all(catalogue: dict[str, Any]) -> None:
    catalogue["permissions"][0]["granted_to"].append("anonymous")


def taken_out(catalogue: dict[str, Any]) -> None:
    catalogue["tools"].pop()


def put_in_twice(catalogue: dict[str, Any]) -> None:
    catalogue["tools"].append(catalogue["tools"][-1])


def put_in_other_order(catalogue: dict[str, Any]) -> None:
    catalogue["tools"].reverse()


@pytest.mark.parametrize("change", [described_otherwise, granted_to_all, taken_out, put_in_twice, put_in_other_order])
def test_a_catalogue_that_is_not_the_frozen_one_is_found(
    snapshot: Path, change: Callable[[dict[str, Any]], None]
) -> None:
    body = json.loads((snapshot / "reports" / "batch-1.json").read_bytes())
    change(body["catalogue"])
    put_report(snapshot, body["batch_id"], body)
    assert places(verify(snapshot)) == ["reports/batch-1.json#/catalogue"]


def test_a_schema_in_another_form_is_found(snapshot: Path) -> None:
    body = json.loads((snapshot / "reports" / "batch-1.json").read_bytes())
    tool = body["catalogue"]["tools"][0]
    tool["parameters"] = tool["parameters"].replace('":', '": ')
    put_report(snapshot, body["batch_id"], body)
    assert "reports/batch-1.json" in places(verify(snapshot))


def test_a_catalogue_taken_out_of_a_report_is_found(snapshot: Path) -> None:
    body = json.loads((snapshot / "reports" / "batch-1.json").read_bytes())
    del body["catalogue"]
    put_report(snapshot, body["batch_id"], body)
    assert places(verify(snapshot)) == ["reports/batch-1.json#/catalogue"]


def from_before(snapshot: Path, artifacts: dict[str, bytes]) -> None:
    """The first batch as its report was before catalogues and statistics, with these runs."""
    forge_runs(snapshot, BATCH, artifacts)
    body = json.loads((snapshot / "reports" / "batch-1.json").read_bytes())
    del body["catalogue"], body["statistics"]
    put_report(snapshot, body["batch_id"], body)


def without_opening_budget(data: bytes) -> bytes:
    artifact = open_artifact(data)
    return reseal(artifact, context=artifact.context.changed(opening_budget=None))


def test_a_report_from_before_catalogues_and_statistics_holds(snapshot: Path) -> None:
    from_before(snapshot, {run_id: without_opening_budget(data) for run_id, data in BATCH.artifacts.items()})
    assert places(verify(snapshot)) == []


def test_runs_from_since_there_are_catalogues_cannot_stand_in_a_report_without(snapshot: Path) -> None:
    last, *others = BATCH.artifacts
    from_before(snapshot, {run_id: without_opening_budget(BATCH.artifacts[run_id]) for run_id in others})
    assert places(verify(snapshot)) == [f"runs/{last}.json#/context/opening_budget"]


def test_an_index_without_a_report_holds_nothing(tmp_path: Path) -> None:
    assert places(verify(write_snapshot(tmp_path / "s", []))) == ["index.json#/reports"]


def test_steps_copied_from_another_run_with_their_salt_are_found(snapshot: Path) -> None:
    _, artifact = first("pass")
    twin_id, twin = next(
        (run_id, other)
        for run_id, data in BATCH.artifacts.items()
        if (other := open_artifact(data)).judgment.verdict == "pass" and run_id != artifact.run_id
    )
    salts = {**twin.salts, "steps": artifact.salts["steps"]}
    copied = twin.model_copy(update={"steps": artifact.steps, "salts": salts})
    forge_runs(snapshot, BATCH, {twin_id: reseal(copied)})
    assert f"runs/{twin_id}.json#/digests/steps" in places(verify(snapshot))


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda b: b["provenance"].update(supersedes="batch-1-0001"), "/provenance/supersedes"),
        (lambda b: b["provenance"]["model"].update(returned=["another"]), "/provenance/model/returned/0"),
        (lambda b: b["steps"][1].update(step=7), "/steps/1"),
        (lambda b: b["guardrail_checks"].pop(0), "/steps/0"),
        (lambda b: b["guardrail_checks"].pop(), "/guardrail_checks"),
        (lambda b: b["context"].update(budget=1), "/context/budget"),
        (lambda b: b["result"].update(stop_reason="length"), "/result/stop_reason"),
    ],
)
def test_a_record_that_contradicts_itself_under_new_hashes_is_found(
    snapshot: Path, change: Callable[[dict[str, Any]], object], place: str
) -> None:
    run_id, artifact = first("pass")
    forge_runs(snapshot, BATCH, {run_id: reseal(forged(artifact, change))})
    assert f"runs/{run_id}.json#{place}" in places(verify(snapshot))


def test_a_failure_passed_off_as_the_providers_is_found(snapshot: Path) -> None:
    run_id, artifact = first("fail")
    result = artifact.result.model_copy(
        update={"status": "provider_failed", "error": RunError(code="read_timeout", message="timed out")}
    )
    judgment = derive_judgment(JUDGE, result, artifact.output_checks)
    forge_runs(snapshot, BATCH, {run_id: reseal(artifact, result=result, judgment=judgment)})
    assert places(verify(snapshot)) == [f"runs/{run_id}.json#/result/status"]
