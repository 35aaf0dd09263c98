from __future__ import annotations

from dataset.artifacts.artifact import Artifact, RunError
from dataset.artifacts.digest import open_artifact
from publisher.verification.assertions import assertion_differences
from tests.factories import make_batch

BATCH = make_batch()
ARTIFACTS = [open_artifact(data) for data in BATCH.artifacts.values()]
RUN = next(artifact for artifact in ARTIFACTS if artifact.judgment.verdict == "pass")
GOLD = next(case.gold for case in BATCH.cases if case.question.id == RUN.case.case_id)


def judged_by(artifact: Artifact, judge: str) -> Artifact:
    return artifact.model_copy(
        update={"judgment": artifact.judgment.model_copy(update={"judge_version": judge}), "output_checks": ()}
    )


def test_what_the_gold_asks_is_what_was_asked() -> None:
    golds = {str(case.question.id): case.gold for case in BATCH.cases}
    assert [list(assertion_differences(a, golds[a.case.case_id])) for a in ARTIFACTS] == [[] for _ in ARTIFACTS]


def test_naming_another_judge_does_not_switch_the_check_off() -> None:
    (difference,) = assertion_differences(judged_by(RUN, "kind-rules-v9"), GOLD)
    assert (difference.place, difference.message) == (
        "/judgment/judge_version",
        "no rules are known for this judge",
    )


def test_an_unknown_judge_is_told_of_an_invalid_run_too() -> None:
    invalid = next(artifact for artifact in ARTIFACTS if artifact.judgment.verdict == "invalid")
    (difference,) = assertion_differences(judged_by(invalid, "kind-rules-v9"), GOLD)
    assert difference.place == "/judgment/judge_version"


def test_assertions_left_out_of_a_valid_run_are_missed() -> None:
    (difference,) = assertion_differences(RUN.model_copy(update={"output_checks": ()}), GOLD)
    assert difference.place == "/output_checks"


def test_assertions_left_out_of_an_invalid_run_are_missed_too() -> None:
    invalid = next(artifact for artifact in ARTIFACTS if artifact.judgment.verdict == "invalid")
    bare = invalid.model_copy(update={"output_checks": ()})
    assert [found.place for found in assertion_differences(bare, GOLD)] == ["/output_checks"]


def test_only_a_judge_that_broke_left_none() -> None:
    broke = RunError(code="RUN-JUDGE-001", message="the judge broke")
    result = RUN.result.model_copy(update={"status": "harness_failed", "error": broke})
    assert list(assertion_differences(RUN.model_copy(update={"output_checks": (), "result": result}), GOLD)) == []


def test_a_reason_written_anew_is_found() -> None:
    checks = (RUN.output_checks[0].model_copy(update={"reason": "all good"}), *RUN.output_checks[1:])
    (difference,) = assertion_differences(RUN.model_copy(update={"output_checks": checks}), GOLD)
    assert difference.place == "/output_checks/0/reason"


def test_evidence_that_nothing_can_be_settled_in_is_a_difference() -> None:
    calls = [step.model_copy(update={"arguments_parsed": "{"}) for step in RUN.steps if step.kind == "tool"]
    found = list(assertion_differences(RUN.model_copy(update={"steps": tuple(calls)}), GOLD))
    assert [difference.place for difference in found] == ["/output_checks"]
