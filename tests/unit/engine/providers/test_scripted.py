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


SEARCH: dict[str, object] = {"type": "function", "function": {"name": "tool_search"}}
QUOTE: dict[str, object] = {"type": "function", "function": {"name": "get_quote"}}


def searching(
    turn: int, *, offered: tuple[dict[str, object], ...], searched: tuple[tuple[str, ...], ...]
) -> ModelReply:
    """A reply where tools are searched: `searched` are the queries of the model's own turns so far."""
    messages = [
        Message(
            role="assistant",
            content="",
            tool_calls=tuple(
                MessageCall(id=f"search_{turn}_{i}", name="tool_search", arguments=f'{{"query": "{query}"}}')
                for i, query in enumerate(queries)
            ),
        )
        for turn, queries in enumerate(searched)
    ]
    request = ModelRequest(
        messages=tuple(messages),
        tools=(SEARCH, *offered),
        max_output_tokens=9,
        input_tokens=12,
        origin=RequestOrigin(run_id="b-0001", case_id="quote-basic", locale="en", repeat=1, turn=turn),
    )
    provider = ScriptedProvider("careful", {("careful", "quote-basic"): TRANSCRIPT}, len, clock=lambda: 0.0)
    return asyncio.run(provider.complete(request, OpenGate()))


def made(reply: ModelReply) -> list[tuple[str, str, str]]:
    return [(call.id, call.name, call.arguments) for call in reply.tool_calls]


def test_a_tool_that_has_to_be_found_is_asked_for_once_before_the_turn() -> None:
    first = searching(0, offered=(), searched=())
    assert made(first) == [("search_0_0", "tool_search", '{"query": "get quote"}')]
    assert (first.text, first.stop_reason) == (None, "tool_calls")
    then = searching(1, offered=(QUOTE,), searched=(("get quote",),))
    assert [name for _, name, _ in made(then)] == ["get_quote", "get_quote"]


def test_the_turns_of_the_transcript_go_on_where_they_were() -> None:
    second = searching(2, offered=(QUOTE,), searched=(("get quote",),))
    assert made(second) == [("search_2_0", "tool_search", '{"query": "get fx"}')]
    after = searching(3, offered=(QUOTE,), searched=(("get quote",), ("get fx",)))
    assert (after.text, [name for _, name, _ in made(after)]) == ("It is 12.", ["get_fx"])
    last = searching(4, offered=(QUOTE,), searched=(("get quote",), ("get fx",)))
    assert (last.text, made(last)) == ("Done.", [])


def test_a_tool_that_was_not_found_is_called_all_the_same() -> None:
    reply = searching(1, offered=(), searched=(("get quote",),))
    assert [name for _, name, _ in made(reply)] == ["get_quote", "get_quote"]


def test_where_tools_are_not_searched_nothing_is_asked_for() -> None:
    assert [call.name for call in ask(0).tool_calls] == ["get_quote", "get_quote"]
