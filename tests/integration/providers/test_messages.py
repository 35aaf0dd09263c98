"""The messages wire API over a real socket: what is sent, and what answers add up to."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dataset.artifacts.artifact import Usage
from engine.providers.anthropic_messages import AnthropicMessagesCodec
from engine.providers.credential import REMOVED
from engine.providers.interface import ModelReply, ProviderError, Reported
from engine.providers.wire_codec import UnsupportedParameterError
from tests.integration.providers.asking import KEY, ask, entry, fail, statuses
from tests.integration.providers.conversation import conversation
from tests.integration.providers.faulty_server import Answer, answer, events, stream
from tests.integration.providers.gate_diary import GateDiary

API: dict[str, Any] = {"wire_api": "anthropic_messages"}
USAGE = {"input_tokens": 5, "cache_read_input_tokens": 3, "cache_creation_input_tokens": 1, "output_tokens": 4}
COUNTED = Usage(input_tokens=9, output_tokens=4, cache_read_tokens=3)
THINKING = {"type": "thinking", "thinking": "hm", "signature": "hm"}


def text(written: str) -> dict[str, Any]:
    return {"type": "text", "text": written}


def use(given: Any = None, **more: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": "t1", "name": "f", "input": {"s": "X"} if given is None else given, **more}


def message(*content: Any, stop: str | None = "end_turn", **more: Any) -> dict[str, Any]:
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "test-1"}
    return {**head, "content": list(content), "stop_reason": stop, "usage": USAGE, **more}


def start(index: int, block: dict[str, Any]) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(index: int, **change: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": change}


def block_events(index: int, block: dict[str, Any]) -> list[dict[str, Any]]:
    match block["type"]:
        case "text":
            half = len(block["text"]) // 2
            pieces = [delta(index, type="text_delta", text=p) for p in (block["text"][:half], block["text"][half:])]
            return [start(index, text("")), *pieces]
        case "tool_use":
            given = block["input"] if isinstance(block["input"], str) else json.dumps(block["input"])
            pieces = [delta(index, type="input_json_delta", partial_json=p) for p in ("", given[:3], given[3:])]
            return [start(index, {**block, "input": {}}), *pieces]
        case "thinking":
            thought = delta(index, type="thinking_delta", thinking="hm")
            return [start(index, {"type": "thinking", "thinking": ""}), thought, delta(index, type="signature_delta")]
    return [start(index, block)]


def begin(document: dict[str, Any]) -> dict[str, Any]:
    first = {**document, "content": [], "stop_reason": None, "usage": {**USAGE, "output_tokens": 1}}
    return {"type": "message_start", "message": first}


def told(document: dict[str, Any]) -> Answer:
    """The same message as a stream."""
    middle: list[dict[str, Any]] = [{"type": "ping"}]
    for index, block in enumerate(document["content"]):
        middle += [*block_events(index, block), {"type": "content_block_stop", "index": index}]
    end = {"type": "message_delta", "delta": {"stop_reason": document["stop_reason"]}, "usage": {"output_tokens": 4}}
    return stream(events(begin(document), *middle, end, {"type": "message_stop"}, end=None))


def both(document: dict[str, Any]) -> list[ModelReply]:
    """The reply to the document as a body and as a stream."""
    return [ask(sent, **API)[0] for sent in (answer(document), told(document))]


def both_fail(document: dict[str, Any]) -> list[ProviderError]:
    return [fail(sent, **API) for sent in (answer(document), told(document))]


def test_conversation_is_sent_as_turns_of_blocks() -> None:
    _, server = ask(answer(message(text("a"))), asked=conversation(), parameters={"top_p": "0.5"}, **API)
    seen = server.requests[0]
    assert seen.line == "POST /v1/messages HTTP/1.1"
    assert seen.headers["x-api-key"] == KEY
    assert seen.headers["anthropic-version"] == "2023-06-01"
    assert "authorization" not in seen.headers
    assert seen.document() == {
        "model": "test-1",
        "max_tokens": 256,
        "stream": True,
        "top_p": 0.5,
        "system": [text("Be brief."), text("Be kind.")],
        "tools": [{"name": "get_quote", "description": "A price.", "input_schema": {"type": "object"}}],
        "messages": [
            {"role": "user", "content": [text("价格？")]},
            {
                "role": "assistant",
                "content": [
                    {"type": "tool_use", "id": "c1", "name": "get_quote", "input": {"s": "X"}},
                    {"type": "tool_use", "id": "c2", "name": "get_quote", "input": {"malformed_arguments": '{"s": '}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "c1", "content": "42"},
                    {"type": "tool_result", "tool_use_id": "c2", "content": "unreadable"},
                    text("And?"),
                ],
            },
            {
                "role": "assistant",
                "content": [text("Wait."), {"type": "tool_use", "id": "c3", "name": "get_quote", "input": {}}],
            },
        ],
    }


def test_request_without_an_output_limit_is_refused_before_anything_is_admitted_or_sent() -> None:
    diary = GateDiary()
    with pytest.raises(ProviderError) as caught:
        ask(answer(message(text("a"))), asked=conversation(limit=None), gate=diary, **API)
    assert caught.value.error_code == "provider_4xx"
    assert "max_tokens" in caught.value.message
    assert caught.value.attempts == ()
    assert diary.seen == []


@pytest.mark.parametrize(
    ("name", "value"), [("seed", 1), ("frequency_penalty", 1), ("presence_penalty", 1), ("reasoning_effort", "low")]
)
def test_parameter_that_the_api_lacks_is_refused_at_once(name: str, value: Any) -> None:
    with pytest.raises(UnsupportedParameterError, match=name):
        AnthropicMessagesCodec(entry("http://127.0.0.1/v1", parameters={name: value}, **API))


def test_thinking_can_be_disabled_but_not_enabled() -> None:
    _, server = ask(answer(message(text("a"))), thinking="disabled", **API)
    assert server.requests[0].document()["thinking"] == {"type": "disabled"}
    _, server = ask(answer(message(text("a"))), thinking="provider_default", **API)
    assert "thinking" not in server.requests[0].document()
    with pytest.raises(UnsupportedParameterError, match="thinking"):
        AnthropicMessagesCodec(entry("http://127.0.0.1/v1", thinking="enabled", **API))


X = ("t1", "f", '{"s": "X"}')


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (message(text("abc")), ("abc", [], "stop")),
        (message(THINKING, text("ab"), text("cd")), ("abcd", [], "stop")),
        (message(text("价格😀"), stop="stop_sequence"), ("价格😀", [], "stop")),
        (message(THINKING, use(), stop="tool_use"), (None, [X], "tool_calls")),
        (message(text("ab"), use(), use({}, id="t2"), stop="tool_use"), ("ab", [X, ("t2", "f", "{}")], "tool_calls")),
        (message(text("ab"), stop="max_tokens"), ("ab", [], "length")),
        (message(text("ab"), stop="model_context_window_exceeded"), ("ab", [], "length")),
        (message(text("ab"), stop="refusal"), ("ab", [], "content_filter")),
        (message(text("ab"), stop="pause_turn"), ("ab", [], "stop")),
        (message({"type": "server_tool_use", "name": "s", "input": {}}, text("ab")), ("ab", [], "stop")),
        (message(), ("", [], "stop")),
        (message(THINKING), ("", [], "stop")),
        (message(text("")), ("", [], "stop")),
    ],
)
def test_reply_is_the_same_as_body_and_as_stream(document: dict[str, Any], expected: Any) -> None:
    for reply in both(document):
        calls = [(c.id, c.name, json.dumps(json.loads(c.arguments))) for c in reply.tool_calls]
        assert (reply.text, calls, reply.stop_reason) == expected
        assert reply.finish_reason == document["stop_reason"]
        assert (reply.usage, reply.model_returned, reply.request_id) == (COUNTED, "test-1", "msg_1")
        assert "hm" not in repr(reply)


def test_request_id_of_the_header_is_taken_first() -> None:
    reply, _ = ask(answer(message(text("a")), headers={"request-id": "req_1"}), **API)
    assert reply.request_id == "req_1"


@pytest.mark.parametrize("content", [[], [THINKING], [text("")]])
def test_message_cut_off_before_its_first_word_is_output_truncated(content: list[Any]) -> None:
    for error in both_fail(message(*content, stop="max_tokens")):
        assert error.error_code == "output_truncated"
        assert error.reported == Reported(
            usage=COUNTED, finish_reason="max_tokens", model_returned="test-1", request_id="msg_1"
        )


@pytest.mark.parametrize("given", ['{"s":', ""])
def test_stream_cut_off_within_a_call_is_output_truncated(given: str) -> None:
    assert fail(told(message(use(given), stop="max_tokens")), **API).error_code == "output_truncated"


def test_arguments_of_a_call_stay_as_they_were_written() -> None:
    reply, _ = ask(told(message(use('{"n": 1.50,  "n2":[ ]}'), stop="tool_use")), **API)
    assert reply.tool_calls[0].arguments == '{"n": 1.50,  "n2":[ ]}'


HELD = [begin(message()), start(0, text("")), delta(0, type="text_delta", text="a")]
DELTA_END = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 4}}
STOP = {"type": "message_stop"}


@pytest.mark.parametrize(
    ("body", "code"),
    [
        pytest.param(events(*HELD, end=None), "incomplete_stream", id="no-end"),
        pytest.param(events(*HELD, DELTA_END, end=None), "incomplete_stream", id="stop-reason-is-no-end"),
        pytest.param(events(STOP, end=None), "empty_response", id="end-only"),
        pytest.param(events(*HELD, {"type": "error", "error": {"message": "no"}}), "stream_error", id="error"),
        pytest.param(events({"error": {"message": "no"}}), "stream_error", id="error-without-type"),
        pytest.param(events(*HELD, "{"), "invalid_stream", id="malformed"),
        pytest.param(events(*HELD, end="[DONE]"), "invalid_stream", id="end-of-another-api"),
        pytest.param(events(begin(message()), delta(0, type="text_delta", text="a")), "invalid_stream", id="no-block"),
        pytest.param(events({"type": "content_block_start", "content_block": {}}), "invalid_stream", id="no-index"),
    ],
)
def test_broken_stream_has_its_class(body: bytes, code: str) -> None:
    assert fail(stream(body), **API).error_code == code


@pytest.mark.parametrize(
    ("document", "code"),
    [
        ({}, "empty_response"),
        ({"content": None}, "empty_response"),
        ({"content": "a"}, "invalid_response"),
        ({"type": "error", "error": {"type": "invalid_request_error", "message": "no"}}, "invalid_response"),
    ],
)
def test_body_that_is_no_message_has_its_class(document: dict[str, Any], code: str) -> None:
    assert fail(answer(document), **API).error_code == code


def test_stream_that_breaks_before_its_usage_reports_no_output_tokens() -> None:
    error = fail(stream(events(*HELD, end=None)), **API)
    assert error.usage == Usage(input_tokens=9, cache_read_tokens=3)
    assert fail(stream(events(*HELD, DELTA_END, end=None)), **API).usage == COUNTED


def test_error_of_a_busy_server_is_tried_again() -> None:
    busy = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    for first in (stream(events(*HELD, busy)), answer(busy, 529)):
        reply, _ = ask(first, answer(message(text("a"))), max_retries=1, **API)
        assert len(reply.attempts) == 2
        assert statuses(reply.attempts)[1] == (200, None)


def test_prompt_beyond_the_context_is_named() -> None:
    told = {"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is too long: 9 > 8"}}
    assert fail(answer(told, 400), **API).error_code == "context_overflow"


def test_content_beyond_4_mib_is_refused() -> None:
    pieces = [delta(0, type="text_delta", text="a" * 900_000)] * 5
    assert "more than 4 MiB of text" in fail(stream(events(*HELD, *pieces)), **API).message


@pytest.mark.parametrize("figure", [True, -1, 1.5, "7", 2**53])
def test_usage_that_is_no_count_is_unknown(figure: Any) -> None:
    for name in ("input_tokens", "cache_creation_input_tokens"):
        document = message(text("a"), usage={"input_tokens": 5, "output_tokens": 3, name: figure})
        assert ask(answer(document), **API)[0].usage == Usage(output_tokens=3)
    document = message(text("a"), usage={"input_tokens": 2**53 - 1, "cache_read_input_tokens": 2, "output_tokens": 3})
    assert ask(answer(document), **API)[0].usage == Usage(output_tokens=3, cache_read_tokens=2)


def test_key_echoed_anywhere_is_removed() -> None:
    document = message(text(KEY), use(f'{{"a":"{KEY}"}}', id=KEY, name=KEY), stop=KEY) | {"id": KEY, "model": KEY}
    reply, _ = ask(told(document), **API)
    assert KEY not in repr(reply)
    assert reply.text == REMOVED
    assert (reply.request_id, reply.model_returned, reply.finish_reason) == (None, None, None)
    echoed = {"type": "error", "error": {"type": KEY, "message": f"Wrong key {KEY}"}}
    for broken in (answer(echoed, 401), stream(events(*HELD, echoed))):
        assert KEY not in str(fail(broken, **API).__dict__)
