from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from dataset.artifacts.artifact import Artifact
from dataset.artifacts.digest import open_artifact
from publisher.verification.governance import governance_differences
from tests.factories import forged, make_batch

ARTIFACTS = [open_artifact(data) for data in make_batch().artifacts.values()]
RUN = next(artifact for artifact in ARTIFACTS if artifact.result.refused_calls)
PASSED = next(artifact for artifact in ARTIFACTS if artifact.result.tool_calls == 1)


def places(artifact: Artifact) -> list[str]:
    return [difference.place for difference in governance_differences(artifact)]


def at(body: Any, point: str, guard: str, step: int) -> Any:
    return next(c for c in body["guardrail_checks"] if (c["point"], c["guard"], c["step"]) == (point, guard, step))


def without(step: int, *guards: str) -> Callable[[Any], None]:
    def change(body: Any) -> None:
        body["guardrail_checks"] = [
            c for c in body["guardrail_checks"] if c["step"] != step or c["guard"] not in guards
        ]

    return change


def test_honest_verdicts_are_those_that_the_steps_needed() -> None:
    assert [places(artifact) for artifact in ARTIFACTS] == [[] for _ in ARTIFACTS]


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (without(0, "gate-limits"), "/steps/0"),
        (without(1, "G1", "G2", "G3", "G4", "G5", "G6", "G7"), "/steps/1"),
        (without(1, "G2"), "/steps/1"),
        (without(1, "G7"), "/steps/1"),
        (without(2, "G3"), "/steps/2"),
        (lambda b: at(b, "model_call", "gate-context", 0).update(verdict="deny", code="X"), "/steps/0"),
        (lambda b: at(b, "tool_call", "G3", 2).update(verdict="allow", code=None), "/steps/2"),
        (lambda b: at(b, "tool_call", "G3", 2).update(guard="G4"), "/steps/2"),
        (lambda b: at(b, "tool_call", "G3", 2).update(code="G3-AUTH-002"), "/steps/2/code"),
        (lambda b: at(b, "tool_call", "G3", 2).update(detail="because"), "/steps/2/result"),
        (lambda b: at(b, "tool_call", "G3", 2).update(detail="\x00"), "/steps/2/result"),
        (lambda b: at(b, "tool_call", "G1", 1).update(call_id="call-2"), "/steps/1"),
        (lambda b: at(b, "tool_call", "G1", 1).update(verdict="rewrite", code="X"), "/steps/1"),
        (lambda b: at(b, "tool_call", "G1", 1).update(verdict="deny", code="X"), "/steps/1"),
        (lambda b: at(b, "tool_call", "G1", 1).update(code="G1-VIS-001"), "/guardrail_checks/3/code"),
        (lambda b: at(b, "observation", "G7", 1).update(step=9), "/guardrail_checks"),
        (lambda b: b["guardrail_checks"].reverse(), "/guardrail_checks"),
        (lambda b: b["steps"][2].update(code="ZZZ"), "/steps/2/code"),
        (lambda b: b["steps"][1].update(outcome="refused"), "/steps/1/outcome"),
        (lambda b: b["steps"][2].update(outcome="executed", code=None, result="5"), "/steps/2/outcome"),
        (lambda b: b["steps"][2].update(result="all is well"), "/steps/2/result"),
    ],
)
def test_a_verdict_that_a_step_went_on_against_is_found(change: Callable[[Any], object], place: str) -> None:
    assert place in places(forged(RUN, change))


def test_a_reply_that_was_denied_is_refused_by_that_verdict() -> None:
    def deny(body: Any) -> None:
        at(body, "observation", "G7", 1).update(verdict="deny", code="G7-OBS-001", detail="too large")
        second = [c for c in body["guardrail_checks"] if c["point"] == "observation"][1]
        body["guardrail_checks"].remove(second)
        text = '{"code":"G7-OBS-001","error":"refused","message":"too large"}'
        body["steps"][1].update(outcome="refused", code="G7-OBS-001", source="refusal", result=text)

    assert places(forged(PASSED, deny)) == []


def test_a_broken_rule_denies_under_the_name_of_the_chain() -> None:
    def breaks(body: Any) -> None:
        at(body, "tool_call", "G3", 2).update(guard="G0", code="G0-CHAIN-002", detail="rule G3 broke")
        text = '{"code":"G0-CHAIN-002","error":"refused","message":"rule G3 broke"}'
        body["steps"][2].update(code="G0-CHAIN-002", result=text)

    assert places(forged(RUN, breaks)) == []


def closing(body: Any, *verdicts: tuple[str, str | None]) -> None:
    for guard, code in verdicts:
        gate = {**at(body, "model_call", guard, 0), "step": 3, "verdict": "deny" if code else "allow", "code": code}
        body["guardrail_checks"].append(gate)


def cut(body: Any) -> None:
    """The run before its last reply."""
    body["steps"].pop()
    body["guardrail_checks"] = [c for c in body["guardrail_checks"] if c["step"] < 3]


@pytest.mark.parametrize(
    ("verdicts", "sound"),
    [
        ([("gate-limits", "RUN-LIMIT-001")], True),
        ([("gate-limits", None), ("gate-context", "CONTEXT-BUDGET-001")], True),
        ([("gate-context", "CONTEXT-BUDGET-001")], False),
        ([("gate-limits", "CONTEXT-BUDGET-001")], False),
        ([("gate-limits", None)], False),
    ],
)
def test_behind_the_last_step_only_a_gate_that_stays_shut_stands(
    verdicts: list[tuple[str, str | None]], sound: bool
) -> None:
    def end(body: Any) -> None:
        cut(body)
        closing(body, *verdicts)

    assert (places(forged(RUN, end)) == []) is sound
