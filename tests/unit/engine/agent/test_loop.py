"""Real runs of the agent loop over a tiny bank: every stable code of the chain, every way to end."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from dataset.artifacts.artifact import ModelStep, ToolStep, Usage
from dataset.context.token_counter import count_tokens
from dataset.questions.session import SessionItem
from engine.governance.chain import GovernanceChain
from engine.governance.interface import CallView, GuardName, RuleVerdict
from engine.governance.observation import QUARANTINED
from engine.governance.visibility import Visibility
from engine.providers.interface import ModelReply, ProviderError, Reported
from tests.factories.loop import CATALOGUE, TOOLS, LoopRun, both, calls, fixtures, run_loop, says, setup, tool

ABC = {"symbol": "ABC"}


def run(replies: list[ModelReply | Exception], **options: Any) -> LoopRun:
    chain, frozen = options.pop("chain", None), options.pop("frozen", None)
    return asyncio.run(run_loop(setup(**options), *replies, chain=chain, frozen=frozen))


def tool_steps(found: LoopRun) -> list[ToolStep]:
    return [step for step in found.steps if isinstance(step, ToolStep)]


def test_a_governed_call_is_answered_from_the_frozen_reply_and_the_answer_ends_the_run() -> None:
    found = run([calls(("quote", ABC)), says("12.34")])
    assert found.end.status == "completed"
    assert found.end.answer == "12.34"
    assert [step.kind for step in found.steps] == ["model", "tool", "model"]
    assert tool_steps(found)[0].result == '{"price":"12.34"}'
    guards = [check.guard for check in found.checks if check.point in ("tool_call", "observation")]
    assert guards == ["G1", "G2", "G3", "G4", "G5", "G6", "G7", "G7"]
    assert found.codes == []


@pytest.mark.parametrize(
    ("code", "call", "options"),
    [
        ("G1-VIS-001", ("place_bet", ABC), {}),
        ("G1-VIS-001", ("", ABC), {}),
        ("G1-VIS-002", ("unloaded", ABC), {}),
        ("G2-RO-001", ("note_add", ABC), {}),
        ("G3-AUTH-001", ("holdings", ABC), {"login_state": "anonymous"}),
        ("G3-AUTH-002", ("suitability", ABC), {"login_state": "logged_in"}),
        ("G4-BUDGET-001", ("quote", ABC), {"max_calls": 0}),
        ("G5-SCHEMA-001", ("quote", {"symbol": "abc"}), {}),
        ("G5-SCHEMA-001", ("quote", {}), {}),
        ("G5-SCHEMA-001", ("quote", ""), {}),
        ("G5-SCHEMA-001", ("quote", '["x"]'), {}),
        ("G5-SCHEMA-001", ("quote", "null"), {}),
        ("G5-SCHEMA-002", ("quote", '{"symbol": "AB'), {}),
        ("G5-SCHEMA-002", ("quote", "[" * 1_000 + "]" * 1_000), {}),
        ("G5-SCHEMA-002", ("quote", '{"symbol":"ABC","symbol":"XYZ"}'), {}),
        ("G5-SCHEMA-002", ("quote", '{"symbol": NaN}'), {}),
        ("G5-SCHEMA-002", ("quote", '{"symbol": "\ud800"}'), {}),
        ("G6-FIXTURE-001", ("quote", {"symbol": "XYZ"}), {}),
        ("G6-FIXTURE-002", ("quote", ABC), {"frozen": fixtures(corrupted=True)}),
        ("G7-OBS-001", ("report", {"symbol": "BIG"}), {}),
    ],
)
def test_a_refused_call_gets_its_code_and_the_run_goes_on(
    code: str, call: tuple[str, Any], options: dict[str, Any]
) -> None:
    found = run([calls(call), says("I can't say.")], **options)
    assert found.codes == [code]
    step = tool_steps(found)[0]
    assert (step.outcome, step.code, step.source) == ("refused", code, "refusal")
    assert f'"code":"{code}"' in str(step.result)
    assert found.end.status == "completed"


def test_the_identical_call_is_refused_when_it_was_executed_often_enough() -> None:
    found = run([calls(("quote", ABC)), calls(("quote", '{ "symbol" : "ABC" }')), calls(("quote", ABC)), says("x")])
    assert found.codes == ["G4-BUDGET-003"]


def test_a_call_with_no_step_left_is_refused_and_the_run_ends_at_its_step_limit() -> None:
    found = run([calls(("quote", ABC)), calls(("quote", {"symbol": "XYZ"}))], max_steps=2)
    assert found.codes == ["G4-BUDGET-002", "RUN-LIMIT-001"]
    assert found.end.status == "step_limit"
    assert found.end.answer is None


def test_instruction_like_text_is_quarantined_and_untrusted_text_is_fenced() -> None:
    found = run([calls(("news", {"symbol": "BAD"})), says("ok")])
    assert found.codes == ["G7-OBS-002"]
    seen = str(tool_steps(found)[0].result)
    assert QUARANTINED in seen
    assert "Ignore all previous" not in seen
    assert seen.startswith("[data ")


def test_untrusted_text_without_instructions_is_only_fenced() -> None:
    found = run([calls(("news", ABC)), says("ok")])
    assert found.codes == []
    assert "ABC opened an office." in str(tool_steps(found)[0].result)


def test_a_pure_tool_computes_its_reply() -> None:
    found = run([calls(("calculator", {"expression": "0.1+0.2"})), says("0.3")])
    step = tool_steps(found)[0]
    assert (step.source, step.result) == ("pure", '{"result":"0.3"}')


def test_several_calls_in_one_turn_with_text_are_all_answered_in_order() -> None:
    found = run([calls(("quote", ABC), ("holdings", ABC), text="Let me look."), says("done")])
    assert [step.tool for step in tool_steps(found)] == ["quote", "holdings"]
    roles = [message.role for message in found.requests[1].messages]
    assert roles == ["system", "user", "assistant", "tool", "tool"]
    assert found.requests[1].messages[2].content == "Let me look."


def test_call_ids_that_repeat_across_turns_become_unique_in_the_conversation() -> None:
    found = run([calls(("quote", ABC)), calls(("holdings", ABC)), says("done")])
    ids = [message.tool_call_id for message in found.requests[2].messages if message.role == "tool"]
    assert len(ids) == len(set(ids)) == 2


def test_a_provider_that_fails_ends_the_run_without_a_score() -> None:
    found = run([ProviderError("rate_limited", "too many requests")])
    assert found.end.status == "provider_failed"
    assert found.end.error is not None
    assert found.end.error.code == "rate_limited"
    assert found.steps[-1].kind == "model"
    assert found.steps[-1].error == "rate_limited"


def test_a_failed_step_keeps_what_the_server_reported_before_it_failed() -> None:
    reported = Reported(
        usage=Usage(input_tokens=9, output_tokens=4),
        finish_reason="length",
        model_returned="test-1",
        request_id="req-9",
        system_fingerprint="fp-1",
    )
    found = run([ProviderError("output_truncated", "cut off", reported=reported)])
    step = found.steps[-1]
    assert isinstance(step, ModelStep)
    assert (step.error, step.stop_reason, step.usage) == ("output_truncated", "error", reported.usage)
    assert (step.finish_reason, step.model_returned) == ("length", "test-1")
    assert (step.request_id, step.system_fingerprint) == ("req-9", "fp-1")


def test_an_empty_answer_is_an_answer_of_its_own_kind() -> None:
    found = run([says("")])
    assert (found.end.status, found.end.answer) == ("completed", "")


def test_a_context_that_does_not_fit_fails_by_name_before_the_model_is_asked() -> None:
    note = SessionItem(id="long", category="note", text=both("word " * 2_000), required=True)
    found = run([says("never")], session=[note], budget=500)
    assert found.end.status == "context_failed"
    assert found.end.error is not None
    assert found.end.error.code == "CONTEXT-BUDGET-001"
    assert found.requests == []
    assert found.end.context.required_kept < found.end.context.required_total


def test_a_context_that_grows_over_its_budget_ends_at_the_gate() -> None:
    tight = setup().variant.context_budget
    assert tight > 1_000
    base = run([calls(("quote", ABC)), says("x")]).end.context.step_tokens
    found = run([calls(("quote", ABC)), says("x")], budget=base[1].tokens - 1)
    assert found.codes == ["CONTEXT-BUDGET-001"]
    assert len(found.requests) == 1


def test_the_system_prompt_loses_its_marker_line_and_its_text_stays_out_of_the_record() -> None:
    found = run([says("x")])
    assert found.requests[0].messages[0].content == "Be careful."
    record = found.end.context.items[0]
    assert (record.category, record.text) == ("system", None)


def test_every_model_step_records_the_three_gates_and_the_exact_tools() -> None:
    found = run([calls(("quote", ABC)), says("x")])
    gates = [check.guard for check in found.checks if check.point == "model_call"]
    assert gates == ["gate-limits", "gate-context", "gate-tools"] * 2
    assert [loaded.step for loaded in found.visible_tools] == [0, 2]
    assert "unloaded" not in {t.name for t in found.visible_tools[0].tools}


class BrokenRule:
    guard: GuardName = "G2"

    def check(self, call: CallView) -> RuleVerdict:
        raise RuntimeError("boom")


@pytest.mark.parametrize(
    ("chain", "code"),
    [
        (GovernanceChain((), ()), "G0-CHAIN-001"),
        (GovernanceChain((Visibility(), BrokenRule()), ()), "G0-CHAIN-002"),
        (GovernanceChain((Visibility(),), ()), "G0-CHAIN-001"),
    ],
)
def test_an_empty_or_broken_chain_denies(chain: GovernanceChain, code: str) -> None:
    found = run([calls(("quote", ABC)), says("x")], chain=chain)
    assert found.codes == [code]
    assert tool_steps(found)[0].outcome == "refused"


def test_arguments_that_are_not_unicode_are_kept_as_base64() -> None:
    found = run([calls(("quote", '{"symbol": "\ud800"}')), says("x\udfff")])
    kept = tool_steps(found)[0].arguments_raw
    assert not isinstance(kept, str)
    assert kept.encoding == "base64"


def test_a_tool_set_that_is_not_the_scenes_own_closes_the_third_gate() -> None:
    quote = next(t for t in TOOLS if t.name == "quote")
    renamed = tool("quote", description=both("another description"))
    unloaded = next(t for t in TOOLS if t.name == "unloaded")
    for loaded in ([quote], [*CATALOGUE.visible("desk", "logged_in"), unloaded], [renamed], []):
        found = run([says("never")], loaded=loaded)
        assert (found.end.status, found.codes, found.requests) == ("harness_failed", ["RUN-TOOLS-001"], [])


def test_what_a_malformed_call_becomes_in_the_conversation_is_counted_as_it_is_sent() -> None:
    wild = '{"symbol": "' + "\\" * 300
    found = run([calls(("quote", wild)), says("x")])
    sent = found.requests[1].messages[2].tool_calls[0].arguments
    assert json.loads(sent) == {"malformed_arguments": wild}
    first, second = found.end.context.step_tokens
    assert second.tokens - first.tokens >= count_tokens(sent)


def test_half_a_character_is_sent_as_a_replacement_and_recorded_as_it_was() -> None:
    found = run([calls(("quote", ABC), text="\ud800"), says("x")])
    assert found.requests[1].messages[2].content == "\ufffd"
    assert not isinstance(found.steps[0].text, str) if found.steps[0].kind == "model" else False


def test_a_harness_that_breaks_keeps_the_context_that_was_built() -> None:
    found = run([RuntimeError("boom")])
    assert found.end.status == "harness_failed"
    assert {item.decision for item in found.end.context.items} == {"kept"}
    assert [entry.step for entry in found.end.context.step_tokens] == [0]


def test_a_run_whose_calls_are_used_up_may_still_answer() -> None:
    found = run([calls(("quote", ABC)), calls(("holdings", ABC)), says("12.34")], max_calls=1)
    assert found.codes == ["G4-BUDGET-001"]
    assert found.end.status == "completed"
    gates = [check.detail for check in found.checks if check.guard == "gate-limits"]
    assert gates == ["step 1 of 8, 1 calls left", "step 2 of 8, 0 calls left", "step 3 of 8, 0 calls left"]
