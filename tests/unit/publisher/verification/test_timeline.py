from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from dataset.artifacts.artifact import Artifact
from dataset.artifacts.digest import open_artifact
from publisher.verification.timeline import timeline_differences
from tests.factories import forged, make_batch

ARTIFACTS = [open_artifact(data) for data in make_batch(text="<b>").artifacts.values()]
RUN = next(artifact for artifact in ARTIFACTS if artifact.result.refused_calls)
"""Four steps: a reply with two calls, a frozen reply, a refusal of arguments without Unicode form, the answer."""


def places(artifact: Artifact) -> list[str]:
    return [difference.place for difference in timeline_differences(artifact)]


def test_honest_timelines_follow_from_themselves() -> None:
    assert [places(artifact) for artifact in ARTIFACTS] == [[] for _ in ARTIFACTS]


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda b: b["steps"][3].update(step=7), "/steps/3"),
        (lambda b: b["steps"].pop(2), "/steps/0/tool_calls"),
        (lambda b: b["steps"][0].update(tool_calls=[]), "/steps/1"),
        (lambda b: b["steps"].insert(3, b["steps"][1]), "/steps/3"),
        (lambda b: b["steps"].insert(0, b["steps"][3]), "/steps/0"),
        (lambda b: b["steps"][1].update(tool="calculator"), "/steps/1/tool"),
        (lambda b: b["steps"][1].update(call_id="other"), "/steps/1/call_id"),
        (lambda b: b["steps"][1].update(arguments_raw="{}"), "/steps/1/arguments_raw"),
        (lambda b: b["steps"][1].update(arguments_parsed="{}"), "/steps/1/arguments_parsed"),
        (lambda b: b["steps"][0]["tool_calls"][0].update(arguments_parsed="{}"), "/steps/0/tool_calls/0"),
        (lambda b: b["steps"][0]["tool_calls"][1].update(arguments_parsed="{}"), "/steps/0/tool_calls/1"),
        (lambda b: b["steps"][0].update(error="provider_5xx"), "/steps/0/error"),
        (lambda b: b["steps"][0].update(model_returned="another"), "/provenance/model/returned"),
        (lambda b: b["provenance"]["model"].update(returned=[]), "/provenance/model/returned"),
        (lambda b: b.update(visible_tools=[]), "/visible_tools"),
        (lambda b: b["visible_tools"][1].update(step=2), "/visible_tools/1"),
        (lambda b: b["context"]["step_tokens"].pop(), "/context/step_tokens"),
        (lambda b: b["steps"][0].update(started_at="2026-01-02T03:04:04.999Z"), "/steps/0/started_at"),
        (lambda b: b["steps"][3].update(started_at="2026-01-02T03:04:09.251Z"), "/steps/3/started_at"),
        (lambda b: b["provenance"].update(started_at="2027-01-01T00:00:00.000Z"), "/provenance/finished_at"),
    ],
)
def test_a_step_that_can_not_stand_where_it_stands_is_found(change: Callable[[Any], object], place: str) -> None:
    assert [found for found in places(forged(RUN, change)) if found.startswith(place)]


def renamed(first: str, second: str, first_known: str, second_known: str) -> Artifact:
    def change(body: Any) -> None:
        for at, (own, known) in enumerate(((first, first_known), (second, second_known))):
            body["steps"][0]["tool_calls"][at]["id"] = own
            body["steps"][at + 1]["call_id"] = known

    return forged(RUN, change)


def test_a_call_without_an_id_of_its_own_is_known_by_its_place() -> None:
    assert places(renamed("a", "a", "a", "call-1-1")) == []
    assert places(renamed("", "b", "call-1-0", "b")) == []
    assert places(renamed("a", "a", "a", "a")) == ["/steps/2/call_id"]


def test_only_a_run_that_broke_off_may_leave_calls_unanswered() -> None:
    def cut(body: Any) -> None:
        del body["steps"][2:]
        del body["visible_tools"][1:]
        del body["context"]["step_tokens"][1:]
        body["guardrail_checks"] = [c for c in body["guardrail_checks"] if c["step"] < 2]

    def broken(body: Any) -> None:
        cut(body)
        body["result"].update(status="harness_failed", error={"code": "RUN-HARNESS-001", "message": "x"})

    assert places(forged(RUN, cut)) == ["/steps/0/tool_calls"]
    assert places(forged(RUN, broken)) == []
