"""What a reply holds, whatever shape it came in."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dataset.artifacts.artifact import Usage
from tests.integration.providers.asking import (
    ask,
    call_of,
    completion,
    fail,
    statuses,
)
from tests.integration.providers.faulty_server import (
    answer,
    http,
    raw,
)

DEEP = "[" * 1000 + "]" * 1000


@pytest.mark.parametrize(
    ("arguments", "kept"),
    [
        pytest.param('{"symbol": "X"}', '{"symbol": "X"}', id="as-written"),
        pytest.param('["x"]', '["x"]', id="list"),
        pytest.param("null", "null", id="null-text"),
        pytest.param('{"symbol": "X', '{"symbol": "X', id="truncated"),
        pytest.param(DEEP, DEEP, id="nested-1000-deep"),
        pytest.param("", "", id="empty"),
        pytest.param("\ud83d half", "\ud83d half", id="lone-surrogate"),
        pytest.param('{"a": NaN}', '{"a": NaN}', id="nan-inside-the-text"),
        pytest.param({"b": 1, "a": [1.5, "é"]}, '{"a":[1.5,"é"],"b":1}', id="object"),
        pytest.param({"b": "\ud800", "a": 1}, '{"a":1,"b":"\ud800"}', id="object-with-lone-surrogate"),
        pytest.param({"n": 2**60}, '{"n":1152921504606846976}', id="object-with-big-integer"),
        pytest.param(["x"], '["x"]', id="list-not-text"),
        pytest.param(None, "null", id="null-not-text"),
        pytest.param(True, "true", id="true"),
    ],
)
def test_arguments_are_kept_as_received(arguments: Any, kept: str) -> None:
    reply, _ = ask(answer(completion({"content": None, "tool_calls": [call_of(arguments)]}, "tool_calls")))
    assert [(call.id, call.name, call.arguments) for call in reply.tool_calls] == [("c1", "get_quote", kept)]
    assert reply.text is None
    assert reply.stop_reason == "tool_calls"


def test_object_arguments_nested_1000_deep_never_crash() -> None:
    body = json.dumps(completion({"tool_calls": [call_of("DEEP")]})).replace('"DEEP"', DEEP)
    assert fail(raw(http(200, body.encode()))).error_code == "invalid_response"


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("text", ("", "", '"text"')),
        (None, ("", "", "null")),
        ({"id": "c1"}, ("", "", '{"id":"c1"}')),
        ({"id": 7, "function": {"name": "t"}}, ("", "t", "")),
        ({"function": {"name": None, "arguments": "{}"}}, ("", "", "{}")),
        ({"id": "c1", "function": {"name": ["t"], "arguments": "{}"}}, ("c1", "", "{}")),
        ({"id": "c1", "function": {"name": "不存在", "arguments": "{}"}}, ("c1", "不存在", "{}")),
    ],
)
def test_call_of_an_unusable_shape_is_kept_for_governance(call: Any, expected: tuple[str, str, str]) -> None:
    reply, _ = ask(answer(completion({"tool_calls": [call]})))
    assert [(kept.id, kept.name, kept.arguments) for kept in reply.tool_calls] == [expected]
    assert reply.stop_reason == "tool_calls"


@pytest.mark.parametrize(
    ("message", "finish", "text", "stop"),
    [
        ({"content": "a"}, "stop", "a", "stop"),
        ({"content": "a"}, "length", "a", "length"),
        ({"content": ""}, "stop", "", "stop"),
        ({"content": None}, "stop", "", "stop"),
        ({}, None, "", "stop"),
        ({"content": None}, "content_filter", "", "content_filter"),
        ({"content": "a"}, "tool_calls", "a", "stop"),
        ({"content": "a"}, "eos", "a", "stop"),
        (
            {"content": [{"type": "text", "text": "a"}, {"type": "thinking", "thinking": "z"}, "odd"]},
            "stop",
            "a",
            "stop",
        ),
        ({"content": [{"type": "refusal", "refusal": "no"}]}, "stop", "no", "stop"),
        ({"content": None, "refusal": "I can't."}, "stop", "I can't.", "stop"),
        ({"content": "a", "reasoning_content": "hm", "reasoning": "hm"}, "stop", "a", "stop"),
        ({"content": "", "reasoning_content": "hm"}, "stop", "", "stop"),
        ({"content": "half \ud83d"}, "stop", "half \ud83d", "stop"),
        ({"content": "a", "tool_calls": [call_of("{}")]}, "stop", "a", "tool_calls"),
        ({"content": None, "tool_calls": [call_of("{}")]}, "length", None, "length"),
        ({"content": None, "function_call": {"name": "t", "arguments": "{}"}}, "function_call", None, "tool_calls"),
        ({"content": "a", "tool_calls": []}, "stop", "a", "stop"),
    ],
)
def test_text_and_stop_reason(message: Any, finish: Any, text: str | None, stop: str) -> None:
    reply, _ = ask(answer(completion(message, finish)))
    assert (reply.text, reply.stop_reason, reply.finish_reason) == (text, stop, finish)


@pytest.mark.parametrize(
    "message",
    [
        {"content": ""},
        {"content": None},
        {"content": " \n"},
        {"content": None, "reasoning_content": "hm"},
        {"content": "I look it up.", "tool_calls": [call_of('{"symbol": "AB')]},
        {"content": None, "tool_calls": [call_of("{}"), call_of("")]},
    ],
)
def test_reply_cut_off_before_anything_of_it_can_be_used_is_output_truncated(message: Any) -> None:
    usage = {"prompt_tokens": 9, "completion_tokens": 4, "completion_tokens_details": {"reasoning_tokens": 4}}
    document = completion(message, "length", usage=usage, system_fingerprint="fp_1")
    error = fail(answer(document, headers={"x-request-id": "req-9"}), max_retries=3)
    assert error.error_code == "output_truncated"
    assert statuses(error.attempts) == [(200, "output_truncated")]
    assert error.usage == Usage(input_tokens=9, output_tokens=4, reasoning_tokens=4)
    assert error.reported.finish_reason == "length"
    assert error.reported.model_returned == "test-1"
    assert error.reported.request_id == "req-9"
    assert error.reported.system_fingerprint == "fp_1"


def test_whole_call_of_a_reply_cut_off_after_it_is_kept() -> None:
    calls = [call_of('{"symbol": "AB'), call_of('{"symbol": "ABC"}')]
    reply, _ = ask(answer(completion({"content": None, "tool_calls": calls}, "length")))
    assert [call.arguments for call in reply.tool_calls] == ['{"symbol": "AB', '{"symbol": "ABC"}']


def test_usage_and_ids_are_taken_where_they_hold() -> None:
    usage = {
        "prompt_tokens": 11,
        "completion_tokens": 5,
        "prompt_tokens_details": {"cached_tokens": 4},
        "completion_tokens_details": {"reasoning_tokens": 2},
    }
    document = completion({"content": "a"}, usage=usage, system_fingerprint="fp_1")
    reply, _ = ask(answer(document, headers={"X-Request-Id": "req-9"}))
    assert reply.usage.model_dump() == {
        "input_tokens": 11,
        "output_tokens": 5,
        "cache_read_tokens": 4,
        "reasoning_tokens": 2,
    }
    assert (reply.request_id, reply.model_returned, reply.system_fingerprint) == ("req-9", "test-1", "fp_1")


@pytest.mark.parametrize("figure", [True, -1, 1.0, 1.5, "7", None, [1], 2**53, 1e400])
def test_usage_that_is_no_count_is_unknown(figure: Any) -> None:
    usage = {"prompt_tokens": figure, "completion_tokens": 3, "prompt_tokens_details": figure}
    body = json.dumps(completion({"content": "a"}, usage=usage)).replace("Infinity", "1e400")
    reply, _ = ask(raw(http(200, body.encode())))
    assert (reply.usage.input_tokens, reply.usage.output_tokens, reply.usage.cache_read_tokens) == (None, 3, None)


@pytest.mark.parametrize("value", ["a b", "x" * 257, "模型", "", 7, None, {}, "a\n", "\ud800"])
def test_id_that_fails_its_check_is_null(value: Any) -> None:
    reply, _ = ask(
        answer(completion({"content": "a"}, value, system_fingerprint=value) | {"id": value, "model": value})
    )
    assert (reply.request_id, reply.model_returned, reply.system_fingerprint, reply.finish_reason) == (None,) * 4
