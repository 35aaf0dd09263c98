from __future__ import annotations

from typing import Any

import pytest

from dataset.artifacts.artifact import ModelStep, ToolStep
from dataset.artifacts.digest import open_artifact
from publisher.verification.answers import answers_digest
from tests.factories import make_batch

ARTIFACT = open_artifact(next(iter(make_batch(scenario=lambda planned: "pass").artifacts.values())))
FIRST = ARTIFACT.steps[0]


def with_first(**changes: Any) -> bytes:
    return answers_digest([FIRST.model_copy(update=changes), *ARTIFACT.steps[1:]])


@pytest.mark.parametrize("changes", [{"started_at": "2027-01-01T00:00:00.000Z"}, {"attempts": ()}])
def test_when_and_how_often_a_model_was_asked_is_no_part_of_its_answers(changes: dict[str, Any]) -> None:
    assert with_first(**changes) == answers_digest(ARTIFACT.steps)


@pytest.mark.parametrize(
    "changes", [{"text": "other"}, {"tool_calls": ()}, {"stop_reason": "length"}, {"model_returned": "another"}]
)
def test_another_answer_is_another_digest(changes: dict[str, Any]) -> None:
    assert with_first(**changes) != answers_digest(ARTIFACT.steps)


def test_what_tools_replied_is_no_answer_and_the_order_of_answers_counts() -> None:
    answers = [step for step in ARTIFACT.steps if isinstance(step, ModelStep)]
    assert any(isinstance(step, ToolStep) for step in ARTIFACT.steps)
    assert answers_digest(answers) == answers_digest(ARTIFACT.steps)
    assert answers_digest(reversed(answers)) != answers_digest(answers)
