"""The request body: messages as they were counted, and nothing that the entry doesn't set."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engine.context.message import Message, MessageCall
from engine.providers.chat_request import chat_request_bytes
from engine.providers.interface import ModelRequest, RequestOrigin
from engine.providers.model_entry import ModelEntry, Parameters

ENTRY = ModelEntry(
    key="local",
    display_name="Local",
    family="test",
    provider="test",
    wire_api="openai_chat",
    model_id="test-1",
    base_url="http://127.0.0.1/v1",
)


def sent(entry: ModelEntry, *given: Message) -> tuple[bytes, Any]:
    origin = RequestOrigin(run_id="b-0001", case_id="quote-basic", locale="en", repeat=1, turn=0)
    messages = given or (Message(role="user", content="hi"),)
    request = ModelRequest(messages=messages, tools=(), max_output_tokens=9, input_tokens=12, origin=origin)
    data = chat_request_bytes(entry, request, stream=False)
    return data, json.loads(data)


def test_messages_and_calls_are_sent_exactly_as_they_were_counted() -> None:
    call = MessageCall(id="c1", name="get_quote", arguments='{"a": 1.50,  "b": [null]}')
    data, body = sent(
        ENTRY,
        Message(role="user", content="价格 \U0001f600"),
        Message(role="assistant", content="", tool_calls=(call,)),
        Message(role="tool", content="12", tool_call_id="c1"),
    )
    function = {"name": "get_quote", "arguments": '{"a": 1.50,  "b": [null]}'}
    assert body["messages"] == [
        {"role": "user", "content": "价格 \U0001f600"},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "c1", "type": "function", "function": function}],
        },
        {"role": "tool", "content": "12", "tool_call_id": "c1"},
    ]
    assert "价格".encode() in data


def test_lone_surrogate_is_refused_without_showing_the_request() -> None:
    with pytest.raises(ValueError, match="lone surrogate") as caught:
        sent(ENTRY, Message(role="user", content="half \ud83d"))
    assert caught.value.__context__ is None
    assert "half" not in str(caught.value)


def test_parameters_are_numbers_of_their_kind_and_absent_where_unset() -> None:
    parameters = Parameters(temperature="0", top_p="0.95", seed=2**40, reasoning_effort="low")
    _, body = sent(ENTRY.model_copy(update={"parameters": parameters}))
    assert {name: body[name] for name in body if name not in ("model", "messages", "max_tokens")} == {
        "temperature": 0,
        "top_p": 0.95,
        "seed": 2**40,
        "reasoning_effort": "low",
    }
    assert set(sent(ENTRY)[1]) == {"model", "messages", "max_tokens"}


def test_thinking_mode_is_sent_where_the_entry_sets_one() -> None:
    for mode in ("enabled", "disabled"):
        assert sent(ENTRY.model_copy(update={"thinking": mode}))[1]["thinking"] == {"type": mode}
    assert "thinking" not in sent(ENTRY.model_copy(update={"thinking": "provider_default"}))[1]
