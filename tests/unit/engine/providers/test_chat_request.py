"""The request body: what a server could choke on is mended on the wire, and nothing else is changed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engine.context.message import Message
from engine.providers.chat_request import chat_request_bytes, wire_arguments
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


def sent(entry: ModelEntry, text: str = "hi") -> tuple[bytes, Any]:
    origin = RequestOrigin(run_id="b-0001", case_id="quote-basic", locale="en", repeat=1, turn=0)
    messages = (Message(role="user", content=text),)
    request = ModelRequest(messages=messages, tools=(), max_output_tokens=9, origin=origin)
    data = chat_request_bytes(entry, request)
    return data, json.loads(data)


@pytest.mark.parametrize("written", ["{}", '{"a": 1.50,  "b": [null]}', '{"a": "é"}'])
def test_object_goes_back_as_it_was_written(written: str) -> None:
    assert wire_arguments(written) == written


@pytest.mark.parametrize(
    "written",
    [
        "",
        '["x"]',
        "null",
        '{"a": "x',
        '{"a": NaN}',
        '{"a":1,"a":2}',
        '{"a": "\\ud800"}',
        "[" * 1000 + "]" * 1000,
        "\ud800",
    ],
)
def test_anything_else_goes_back_inside_an_object(written: str) -> None:
    assert json.loads(wire_arguments(written)) == {"malformed_arguments": written}


def test_lone_surrogate_is_sent_as_replacement_and_a_pair_as_its_character() -> None:
    data, body = sent(ENTRY, "half \ud83d, whole \ud83d\ude00, 价格")
    assert body["messages"][0]["content"] == "half \ufffd, whole 😀, 价格"
    assert "价格".encode() in data


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
