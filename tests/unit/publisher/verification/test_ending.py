from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from dataset.artifacts.artifact import Artifact
from dataset.artifacts.digest import open_artifact
from publisher.verification.ending import ending_differences
from tests.factories import forged, make_batch

ARTIFACTS = [open_artifact(data) for data in make_batch().artifacts.values()]
RUN = next(artifact for artifact in ARTIFACTS if artifact.judgment.verdict == "fail")
"""One reply, which the guards rewrote."""
INVALID = next(artifact for artifact in ARTIFACTS if artifact.judgment.verdict == "invalid")
STATUS = "/result/status"


def places(artifact: Artifact) -> list[str]:
    return [difference.place for difference in ending_differences(artifact)]


def ends(status: str, code: str | None = None, **more: Any) -> Callable[[Any], None]:
    def change(body: Any) -> None:
        error = {"code": code, "message": "x"} if code else None
        body["result"].update(status=status, error=error, **more)

    return change


def test_honest_runs_ended_as_they_say() -> None:
    assert [places(artifact) for artifact in ARTIFACTS] == [[] for _ in ARTIFACTS]


@pytest.mark.parametrize(
    ("status", "code"),
    [
        ("completed", "provider_5xx"),
        ("provider_failed", "provider_5xx"),
        ("step_limit", "RUN-LIMIT-001"),
        ("context_failed", "CONTEXT-BUDGET-001"),
        ("harness_failed", "RUN-TOOLS-001"),
        ("harness_failed", "RUN-HARNESS-001"),
        ("harness_failed", "RUN-GUARD-001"),
        ("harness_failed", "OUT-CHAIN-002"),
        ("harness_failed", "RUN-JUDGE-001"),
        ("harness_failed", "made-up"),
        ("cancelled", None),
        ("cancelled", "made-up"),
    ],
)
def test_an_answered_run_ended_in_no_other_way(status: str, code: str | None) -> None:
    assert places(forged(RUN, ends(status, code))) == [STATUS]


@pytest.mark.parametrize(
    ("status", "code"), [("completed", None), ("provider_failed", "read_timeout"), ("harness_failed", "provider_5xx")]
)
def test_a_failed_reply_ends_its_run_under_its_own_code(status: str, code: str | None) -> None:
    assert places(forged(INVALID, ends(status, code))) == [STATUS]


def test_stop_reason_and_outcome_are_those_of_the_last_step() -> None:
    assert places(forged(RUN, ends("completed", stop_reason="length"))) == ["/result/stop_reason"]
    assert places(forged(RUN, ends("completed", answer_outcome="none"))) == ["/result/answer_outcome"]
    assert places(forged(INVALID, ends("provider_failed", "provider_5xx", answer_outcome="empty"))) == [
        "/result/answer_outcome"
    ]


@pytest.mark.parametrize(
    ("gate", "status", "code"),
    [
        ("gate-limits", "step_limit", "RUN-LIMIT-001"),
        ("gate-context", "context_failed", "CONTEXT-BUDGET-001"),
        ("gate-tools", "harness_failed", "RUN-TOOLS-001"),
    ],
)
def test_a_gate_that_stays_shut_ends_the_run_in_its_own_way(gate: str, status: str, code: str) -> None:
    def shut(body: Any) -> None:
        body["steps"] = []
        body["guardrail_checks"] = [c for c in body["guardrail_checks"] if c["guard"] == gate]
        body["guardrail_checks"][0].update(verdict="deny", code=code)
        ends(status, code, stop_reason="error", answer_outcome="none")(body)

    assert places(forged(RUN, shut)) == []
    assert places(forged(forged(RUN, shut), ends("provider_failed", code))) == [STATUS]


def test_a_judge_that_broke_left_no_assertions() -> None:
    broke = forged(RUN, ends("harness_failed", "RUN-JUDGE-001"))
    assert places(forged(broke, lambda body: body.update(output_checks=[]))) == []


def test_an_answer_that_no_guard_was_asked_about_is_a_broken_guard() -> None:
    unasked = forged(RUN, lambda body: body.update(guardrail_checks=body["guardrail_checks"][:3]))
    assert places(unasked) == [STATUS]
    assert places(forged(unasked, ends("harness_failed", "RUN-GUARD-001"))) == []
