"""A cancelled run holds what the engine can leave of one, and nothing else passes for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dataset.artifacts.artifact import Artifact, Usage
from dataset.artifacts.digest import open_artifact
from dataset.measures.fixed_rules.assertion import settle
from dataset.measures.fixed_rules.rules import assertions
from dataset.measures.giving_up import GIVING_UP
from dataset.measures.verdict import derive_judgment
from publisher.verification.record import record_differences
from tests.factories import JUDGE, VARIANTS, Scenario, forged, make_batch, make_case

REFERENCE = Path(__file__).parents[4] / "docs" / "reference" / "artifact.md"


def run_of(scenario: Scenario) -> Artifact:
    batch = make_batch(
        case_ids=("fund-nav",), model_keys=("careful",), variants=VARIANTS[:1], scenario=lambda planned: scenario
    )
    (data,) = batch.artifacts.values()
    return open_artifact(data)


UNSTARTED, STOPPED, TRUNCATED = run_of("unstarted"), run_of("stopped"), run_of("truncated")
PASSED, BROKEN = run_of("pass"), run_of("invalid")


def changed(artifact: Artifact, change: Callable[[Any], object]) -> Artifact:
    """A forger's best work: the change, and the judgment that follows from it."""
    found = forged(artifact, change)
    judgment = derive_judgment(JUDGE, found.result, found.output_checks).body()
    return forged(found, lambda body: body.update(judgment=judgment))


def places(artifact: Artifact) -> list[str]:
    return [difference.place for difference in record_differences(artifact)]


def labelled(code: str | None, **more: Any) -> Callable[[Any], None]:
    error = {"code": code, "message": "x"} if code else None
    return lambda body: body["result"].update(status="cancelled", error=error, **more)


@pytest.mark.parametrize("artifact", [UNSTARTED, STOPPED])
@pytest.mark.parametrize("code", GIVING_UP)
def test_a_run_given_up_before_or_between_its_steps_is_invalid_for_its_code(artifact: Artifact, code: str) -> None:
    found = changed(artifact, labelled(code))
    assert places(found) == []
    assert (found.judgment.verdict, found.judgment.invalid_reason) == ("invalid", code)
    assert found.output_checks, "an invalid run is asked everything too"


def test_a_run_may_stop_before_the_gates_of_its_next_question() -> None:
    def earlier(body: Any) -> None:
        last = len(body["steps"])
        body["guardrail_checks"] = [check for check in body["guardrail_checks"] if check["step"] < last]
        body["visible_tools"] = [entry for entry in body["visible_tools"] if entry["step"] < last]
        body["context"]["step_tokens"] = [entry for entry in body["context"]["step_tokens"] if entry["step"] < last]

    assert places(changed(STOPPED, earlier)) == []


def test_a_run_may_stop_with_its_first_question_ready() -> None:
    def at_once(body: Any) -> None:
        body["steps"] = []
        for name in ("guardrail_checks", "visible_tools"):
            body[name] = [entry for entry in body[name] if entry["step"] == 0]
        body["context"]["step_tokens"] = body["context"]["step_tokens"][:1]
        body["provenance"]["model"]["returned"] = []

        body["result"].update(model_steps=0, tool_calls=0, latency_ms=0, usage=Usage().body())

    ready = forged(STOPPED, at_once)
    asked = assertions(make_case("fund-nav").gold, ready.case.locale)
    checks = [settle(assertion, ready).body() for assertion in asked]
    assert places(changed(ready, lambda body: body.update(output_checks=checks))) == []


@pytest.mark.parametrize("code", [None, "made-up", "RUN-HARNESS-001", "output_truncated"])
@pytest.mark.parametrize("artifact", [UNSTARTED, STOPPED])
def test_an_unknown_code_gives_no_run_up(artifact: Artifact, code: str | None) -> None:
    assert places(changed(artifact, labelled(code))) == ["/result/status"]


@pytest.mark.parametrize("code", GIVING_UP)
def test_a_run_that_ended_is_not_relabelled_as_cancelled(code: str) -> None:
    unanswered = {"stop_reason": "error", "answer_outcome": "none", "final_output": ""}
    assert "/result/status" in places(changed(PASSED, labelled(code)))
    assert "/result/status" in places(changed(PASSED, labelled(code, **unanswered)))
    assert places(changed(BROKEN, labelled(code))) == ["/result/status"]
    assert places(changed(TRUNCATED, labelled(code))) == ["/result/status"]


def test_a_cancelled_run_has_no_answer() -> None:
    answered = changed(STOPPED, lambda body: body["result"].update(final_output="42", answer_outcome="answered"))
    assert {"/result/answer_outcome", "/result/final_output"} <= set(places(answered))


def test_a_reply_whose_calls_are_not_all_answered_was_not_stopped_between_steps() -> None:
    assert "/steps/0/tool_calls" in places(changed(STOPPED, lambda body: body["steps"].pop()))


def test_gates_and_tools_of_the_next_question_come_together() -> None:
    assert "/steps/2" in places(changed(STOPPED, lambda body: body["visible_tools"].pop()))
    assert "/steps/2" in places(changed(STOPPED, lambda body: body["guardrail_checks"].pop()))


def test_a_context_that_was_never_opened_brings_nothing() -> None:
    def opened(body: Any) -> None:
        body["context"]["items"][0].update(decision="kept", working_tokens=40)
        body["context"].update(working_tokens=40, required_kept=1)

    assert "/context/items/0" in places(changed(UNSTARTED, opened))

    def asked(body: Any) -> None:
        for name in ("guardrail_checks", "visible_tools"):
            body[name] = [{**entry, "step": 0} for entry in STOPPED.body()[name] if entry["step"] == 2]
        body["context"]["step_tokens"] = [{"step": 0, "tokens": 420}]

    assert "/context/required_kept" in places(changed(UNSTARTED, asked))


def test_a_truncated_reply_fails_its_run_and_stays_in_the_count_of_valid_ones() -> None:
    assert places(TRUNCATED) == []
    judgment = TRUNCATED.judgment
    assert (judgment.verdict, judgment.invalid_reason) == ("fail", None)
    assert judgment.failure_reasons[0] == "output_truncated"
    assert (TRUNCATED.result.model_steps, TRUNCATED.result.usage.output_tokens) == (1, 50)


def test_a_truncated_reply_is_not_relabelled_as_invalid() -> None:
    other = changed(TRUNCATED, lambda body: body["result"]["error"].update(code="provider_5xx"))
    assert other.judgment.verdict == "invalid"
    assert "/result/status" in places(other)
    hidden = TRUNCATED.judgment.model_copy(
        update={"verdict": "invalid", "failure_reasons": (), "invalid_reason": "output_truncated"}
    )
    assert "/judgment/verdict" in places(forged(TRUNCATED, lambda body: body.update(judgment=hidden.body())))


def test_the_reference_has_every_code_with_its_meaning() -> None:
    lines = REFERENCE.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line.startswith(("| `BATCH-", "| `LEDGER-", "| `RUN-"))] == [
        f"| `{code}` | {meaning} |" for code, meaning in GIVING_UP.items()
    ]
