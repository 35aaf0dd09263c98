"""The scripted provider: offline, deterministic, one transcript a case and style."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from dataset.questions.transcript import ScriptedCall, ScriptedTurn, Transcript
from dataset.record import CaseId, Locale, Localised
from engine.context.message import Message, MessageCall
from engine.providers.interface import AttemptGate, ModelReply, ModelRequest, ProviderError, RequestOrigin, TryOutcome
from engine.providers.open_gate import OpenGate
from engine.providers.scripted import ScriptedProvider

TRANSCRIPT = Transcript(
    style="careful",
    case_id=CaseId("quote-basic"),
    version=1,
    turns=(
        ScriptedTurn(
            calls=(
                ScriptedCall(tool="get_quote", arguments={"symbol": "基金", "as_of": "2026-01-02"}),
                ScriptedCall(tool="get_quote", arguments='["x"'),
            ),
            calls_zh=(ScriptedCall(tool="get_nav"),),
        ),
        ScriptedTurn(text=Localised(en="It is 12.", zh="是 12。"), calls=(ScriptedCall(tool="get_fx"),)),
        ScriptedTurn(text=Localised(en="Done.", zh="完成。")),
    ),
)


class Diary:
    """Writes down what happens to a gate; `sending` may fail."""

    def __init__(self, fault: Exception | None = None) -> None:
        self.fault = fault
        self.seen: list[str | TryOutcome | None] = []

    async def admit(self) -> None:
        self.seen.append("admit")

    async def sending(self) -> None:
        if self.fault is not None:
            raise self.fault
        self.seen.append("sending")

    def settle(self, outcome: TryOutcome | None) -> None:
        self.seen.append(outcome)


def ask(
    turn: int,
    *,
    locale: Locale = "en",
    case_id: str = "quote-basic",
    style: str = "careful",
    clock: Callable[[], float] = lambda: 0.0,
    gate: AttemptGate | None = None,
) -> ModelReply:
    provider = ScriptedProvider(style, {("careful", "quote-basic"): TRANSCRIPT}, len, clock=clock)
    origin = RequestOrigin(run_id="b-0001", case_id=case_id, locale=locale, repeat=1, turn=turn)
    messages = (
        Message(role="user", content="12345"),
        Message(role="assistant", content="", tool_calls=(MessageCall(id="c", name="ab", arguments="{}"),)),
    )
    request = ModelRequest(
        messages=messages, tools=({"b": 1, "a": 2},), max_output_tokens=9, input_tokens=12, origin=origin
    )
    return asyncio.run(provider.complete(request, gate or OpenGate()))


def test_turn_gives_its_calls_with_sorted_or_raw_arguments_and_stable_ids() -> None:
    reply = ask(0)
    assert [(call.id, call.name, call.arguments) for call in reply.tool_calls] == [
        ("call_0_0", "get_quote", '{"as_of": "2026-01-02", "symbol": "基金"}'),
        ("call_0_1", "get_quote", '["x"'),
    ]
    assert (reply.text, reply.stop_reason, reply.finish_reason) == (None, "tool_calls", "tool_calls")
    assert reply == ask(0)


def test_chinese_run_gets_its_own_calls_and_text() -> None:
    assert [call.name for call in ask(0, locale="zh").tool_calls] == ["get_nav"]
    second = ask(1, locale="zh")
    assert (second.text, [call.name for call in second.tool_calls]) == ("是 12。", ["get_fx"])


def test_last_turn_repeats_and_ids_stay_apart() -> None:
    assert [ask(turn).text for turn in (2, 3, 99)] == ["Done."] * 3
    assert (ask(2).stop_reason, ask(2).model_returned, ask(2).latency_ms, ask(2).attempts) == ("stop", "careful", 0, ())


def test_latency_is_the_time_that_the_look_up_took() -> None:
    seconds = iter([5.0, 5.0024])
    assert ask(2, clock=lambda: next(seconds)).latency_ms == 2


def test_usage_counts_messages_calls_and_tools_once() -> None:
    usage = ask(2).usage
    assert usage.input_tokens == len("12345") + len("ab") + len("{}") + len('{"a": 2, "b": 1}')
    assert usage.output_tokens == len("Done.")
    assert (usage.cache_read_tokens, usage.reasoning_tokens) == (None, None)


@pytest.mark.parametrize(("case_id", "style"), [("other-case", "careful"), ("quote-basic", "careless")])
def test_missing_transcript_is_an_error_that_names_case_and_style(case_id: str, style: str) -> None:
    with pytest.raises(ProviderError) as caught:
        ask(0, case_id=case_id, style=style)
    assert caught.value.error_code == "script_missing"
    assert case_id in str(caught.value)
    assert style in str(caught.value)


def test_turn_passes_the_gate_of_its_call() -> None:
    gate = Diary()
    reply = ask(2, gate=gate)
    assert gate.seen == ["admit", "sending", TryOutcome(usage=reply.usage)]


def test_turn_that_cannot_be_marked_is_settled_and_never_given() -> None:
    gate = Diary(fault=OSError("down"))
    with pytest.raises(OSError, match="down"):
        ask(2, gate=gate)
    assert gate.seen == ["admit", None]
