from __future__ import annotations

from dataset.artifacts.artifact import Artifact
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
        "no rules are known for judge kind-rules-v9",
    )


def test_an_unknown_judge_is_told_of_an_invalid_run_too() -> None:
    invalid = next(artifact for artifact in ARTIFACTS if artifact.judgment.verdict == "invalid")
    (difference,) = assertion_differences(judged_by(invalid, "kind-rules-v9"), GOLD)
    assert difference.place == "/judgment/judge_version"


def test_assertions_left_out_of_a_valid_run_are_missed() -> None:
    (difference,) = assertion_differences(RUN.model_copy(update={"output_checks": ()}), GOLD)
    assert difference.place == "/output_checks"
