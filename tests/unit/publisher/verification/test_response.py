from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from dataset.artifacts.artifact import Artifact
from dataset.artifacts.digest import open_artifact
from publisher.verification.response import response_differences
from tests.factories import forged, make_batch

ARTIFACTS = [open_artifact(data) for data in make_batch().artifacts.values()]
RUN = next(artifact for artifact in ARTIFACTS if artifact.judgment.verdict == "pass")
LAST = len(RUN.guardrail_checks) - 1
INVALID = next(artifact for artifact in ARTIFACTS if artifact.judgment.verdict == "invalid")


def places(artifact: Artifact) -> list[str]:
    return [difference.place for difference in response_differences(artifact)]


def source(**changes: str) -> Callable[[Any], object]:
    return lambda body: body["guardrail_checks"][LAST]["groundings"][0].update(changes)


def again(verdict: str, guard: str = "forbidden_operation") -> Callable[[Any], object]:
    return lambda b: b["guardrail_checks"].append({**b["guardrail_checks"][LAST], "guard": guard, "verdict": verdict})


def test_honest_answers_went_through_every_guard() -> None:
    assert [places(artifact) for artifact in ARTIFACTS] == [[] for _ in ARTIFACTS]


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda b: b["guardrail_checks"].pop(LAST), "/guardrail_checks"),
        (lambda b: b["guardrail_checks"].pop(LAST - 2), "/guardrail_checks"),
        (lambda b: b.update(guardrail_checks=b["guardrail_checks"][: LAST - 2]), "/guardrail_checks"),
        (lambda b: b["guardrail_checks"][LAST].update(guard="personal_advice"), "/guardrail_checks"),
        (lambda b: b["guardrail_checks"][LAST].update(verdict="deny"), "/guardrail_checks"),
        (again("allow"), "/guardrail_checks"),
        (again("rewrite", "another"), "/guardrail_checks"),
        (lambda b: b["guardrail_checks"][LAST].update(step=0), f"/guardrail_checks/{LAST}"),
        (source(source="step:0:fund_nav"), f"/guardrail_checks/{LAST}/groundings/0"),
        (source(source="step:1:calculator"), f"/guardrail_checks/{LAST}/groundings/0"),
        (source(source="question"), f"/guardrail_checks/{LAST}/groundings/0"),
        (source(source_text="9.8765"), f"/guardrail_checks/{LAST}/groundings/0"),
        (source(source_text=""), f"/guardrail_checks/{LAST}/groundings/0"),
    ],
)
def test_a_guard_left_out_or_a_source_made_up_is_found(change: Callable[[Any], object], place: str) -> None:
    assert places(forged(RUN, change)) == [place]


def test_later_rounds_keep_what_they_rewrote() -> None:
    assert places(forged(RUN, again("rewrite"))) == []


def test_a_chain_that_broke_denies_at_any_point() -> None:
    def breaks(body: Any) -> None:
        body["guardrail_checks"][LAST].update(guard="chain", verdict="deny", code="OUT-CHAIN-002", groundings=[])

    assert places(forged(RUN, breaks)) == []


def test_a_number_from_the_question_is_in_the_question() -> None:
    assert places(forged(RUN, source(source="question", source_text="000001", number="000001"))) == []


def test_guards_of_an_answer_that_is_not_there_are_found() -> None:
    check = RUN.body()["guardrail_checks"][LAST]
    assert places(forged(INVALID, lambda b: b["guardrail_checks"].append(check))) == ["/guardrail_checks"]
