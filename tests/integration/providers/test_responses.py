"""The responses wire API over a real socket: what is sent, and what answers add up to."""

from __future__ import annotations

from typing import Any

import pytest

from dataset.artifacts.artifact import Usage
from engine.providers.credential import REMOVED
from engine.providers.interface import ModelReply, ProviderError, Reported
from engine.providers.openai_responses import OpenAIResponsesCodec
from engine.providers.wire_codec import UnsupportedParameterError
from tests.integration.providers.asking import KEY, ask, entry, fail, statuses
from tests.integration.providers.conversation import conversation
from tests.integration.providers.faulty_server import Answer, SeenRequest, answer, events, stream

API: dict[str, Any] = {"wire_api": "openai_responses"}
USAGE = {
    "input_tokens": 9,
    "output_tokens": 4,
    "input_tokens_details": {"cached_tokens": 2},
    "output_tokens_details": {"reasoning_tokens": 3},
}
COUNTED = Usage(input_tokens=9, output_tokens=4, cache_read_tokens=2, reasoning_tokens=3)
REASONING = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]}


def text(*parts: Any) -> dict[str, Any]:
    return {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": p} for p in parts]}


def call(arguments: Any = '{"s":"X"}', **more: Any) -> dict[str, Any]:
    return {"type": "function_call", "id": "fc_1", "call_id": "c9", "name": "f", "arguments": arguments, **more}


def response(*output: Any, status: str = "completed", **more: Any) -> dict[str, Any]:
    return {"id": "resp_1", "model": "test-1", "status": status, "output": list(output), "usage": USAGE, **more}


def cut_off(*output: Any, reason: str = "max_output_tokens") -> dict[str, Any]:
    return response(*output, status="incomplete", incomplete_details={"reason": reason})


def told(document: dict[str, Any]) -> Answer:
    """The same response as a stream."""
    begun: dict[str, Any] = {"id": "resp_1", "model": "test-1", "status": "in_progress", "output": [], "usage": None}
    return stream(
        events(
            {"type": "response.created", "response": begun},
            {"type": "response.reasoning_summary_text.delta", "delta": "hm"},
            {"type": "response.output_text.delta", "delta": "not read: the final event has it whole"},
            {"type": f"response.{document['status']}", "response": document},
            end=None,
        )
    )


def both(document: dict[str, Any]) -> list[ModelReply]:
    """The reply to the document as a body and as a stream."""
    return [ask(sent, **API)[0] for sent in (answer(document), told(document))]


def both_fail(document: dict[str, Any]) -> list[ProviderError]:
    return [fail(sent, **API) for sent in (answer(document), told(document))]


def sent(**settings: Any) -> SeenRequest:
    _, server = ask(answer(response(text("a"))), asked=conversation(), **API, **settings)
    return server.requests[0]


def test_conversation_is_sent_as_items() -> None:
    seen = sent(parameters={"temperature": "0.5", "reasoning_effort": "low"})
    assert seen.line == "POST /v1/responses HTTP/1.1"
    assert seen.headers["authorization"] == f"Bearer {KEY}"
    assert seen.document() == {
        "model": "test-1",
        "store": False,
        "stream": True,
        "temperature": 0.5,
        "reasoning": {"effort": "low"},
        "max_output_tokens": 256,
        "tools": [
            {
                "type": "function",
                "name": "get_quote",
                "description": "A price.",
                "parameters": {"type": "object"},
                "strict": False,
            }
        ],
        "input": [
            {"role": "system", "content": "Be brief."},
            {"role": "system", "content": "Be kind."},
            {"role": "user", "content": "价格？"},
            {"type": "function_call", "call_id": "c1", "name": "get_quote", "arguments": '{"s": "X"}'},
            {"type": "function_call", "call_id": "c2", "name": "get_quote", "arguments": '{"s": '},
            {"type": "function_call_output", "call_id": "c1", "output": "42"},
            {"type": "function_call_output", "call_id": "c2", "output": "unreadable"},
            {"role": "user", "content": "And?"},
            {"role": "assistant", "content": "Wait."},
            {"type": "function_call", "call_id": "c3", "name": "get_quote", "arguments": ""},
        ],
    }


def test_what_is_not_set_is_not_sent() -> None:
    _, server = ask(answer(response(text("a"))), asked=conversation(limit=None), streaming=False, **API)
    assert set(server.requests[0].document()) == {"model", "store", "input", "tools"}


@pytest.mark.parametrize("name", ["seed", "frequency_penalty", "presence_penalty"])
def test_parameter_that_the_api_lacks_is_refused_at_once(name: str) -> None:
    with pytest.raises(UnsupportedParameterError, match=name):
        OpenAIResponsesCodec(entry("http://127.0.0.1/v1", parameters={name: 1}, **API))


@pytest.mark.parametrize("mode", ["enabled", "disabled"])
def test_thinking_mode_is_refused_at_once(mode: str) -> None:
    with pytest.raises(UnsupportedParameterError, match="thinking"):
        OpenAIResponsesCodec(entry("http://127.0.0.1/v1", thinking=mode, **API))


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (response(text("a", "b")), ("ab", [], "stop", "completed")),
        (response(REASONING, text("a"), text("b")), ("ab", [], "stop", "completed")),
        (response(REASONING, call()), (None, [("c9", "f", '{"s":"X"}')], "tool_calls", "completed")),
        (response(text("a"), call(), call("{}", call_id="c8")), (
            "a", [("c9", "f", '{"s":"X"}'), ("c8", "f", "{}")], "tool_calls", "completed")),
        (response(call({"s": 1})), (None, [("c9", "f", '{"s":1}')], "tool_calls", "completed")),
        (response({"type": "message", "content": [{"type": "refusal", "refusal": "no"}]}), (
            "no", [], "stop", "completed")),
        (response(REASONING), ("", [], "stop", "completed")),
        (response(text("")), ("", [], "stop", "completed")),
        (response("odd", {"type": "web_search_call"}, text("a")), ("a", [], "stop", "completed")),
        (cut_off(text("a")), ("a", [], "length", "max_output_tokens")),
        (cut_off(text("a"), reason="content_filter"), ("a", [], "content_filter", "content_filter")),
    ],
)  # fmt: skip
def test_reply_is_the_same_as_body_and_as_stream(document: dict[str, Any], expected: Any) -> None:
    for reply in both(document):
        calls = [(c.id, c.name, c.arguments) for c in reply.tool_calls]
        assert (reply.text, calls, reply.stop_reason, reply.finish_reason) == expected
        assert (reply.usage, reply.model_returned, reply.request_id) == (COUNTED, "test-1", "resp_1")
        assert "hm" not in repr(reply)


@pytest.mark.parametrize("output", [[], [REASONING], [text("")], [call('{"s":')], [text("a"), call("")]])
def test_response_cut_off_too_early_is_output_truncated(output: list[Any]) -> None:
    for error in both_fail(cut_off(*output)):
        assert error.error_code == "output_truncated"
        assert error.reported == Reported(
            usage=COUNTED, finish_reason="max_output_tokens", model_returned="test-1", request_id="resp_1"
        )


def test_response_without_output_is_empty() -> None:
    for error in both_fail(response()):
        assert error.error_code == "empty_response"


FAILED = response(status="failed", error={"code": "server_error", "message": "Something broke"})


def test_failed_response_is_an_error_that_keeps_its_usage_and_is_tried_again() -> None:
    as_body, as_stream = both_fail(FAILED)
    assert (as_body.error_code, as_stream.error_code) == ("invalid_response", "stream_error")
    assert as_body.usage == as_stream.usage == COUNTED
    assert "Something broke" in as_stream.message
    reply, _ = ask(told(FAILED), answer(response(text("a"))), max_retries=1, **API)
    assert statuses(reply.attempts) == [(200, "stream_error"), (200, None)]


def item_done(item: dict[str, Any]) -> dict[str, Any]:
    return {"type": "response.output_item.done", "item": item}


def final(kind: str = "completed", **more: Any) -> dict[str, Any]:
    return {"type": f"response.{kind}", "response": {**response(), "output": [], **more}}


def test_items_that_came_one_by_one_fill_a_final_event_that_has_none() -> None:
    reply, _ = ask(stream(events(item_done(text("a")), item_done(call()), final())), **API)
    assert (reply.text, [c.name for c in reply.tool_calls]) == ("a", ["f"])


@pytest.mark.parametrize(
    ("body", "code"),
    [
        pytest.param(events({"type": "response.created", "response": response()}), "incomplete_stream", id="no-end"),
        pytest.param(events(item_done(text("a")), end=None), "incomplete_stream", id="items-only"),
        pytest.param(events({"type": "error", "code": "bad", "message": "no"}), "stream_error", id="error"),
        pytest.param(events({"error": {"message": "no"}}), "stream_error", id="error-without-type"),
        pytest.param(events("{"), "invalid_stream", id="malformed"),
        pytest.param(events({"type": "response.completed"}), "invalid_stream", id="final-without-response"),
        pytest.param(events(final(output={})), "invalid_stream", id="output-that-is-no-list"),
        pytest.param(events(final(output=[{"type": "message", "content": 7}])), "invalid_stream", id="content-number"),
        pytest.param(events(final(status="in_progress")), "invalid_stream", id="final-that-is-none"),
    ],
)
def test_broken_stream_has_its_class(body: bytes, code: str) -> None:
    assert fail(stream(body), **API).error_code == code


def test_content_beyond_4_mib_is_refused() -> None:
    delta = {"type": "response.output_text.delta", "delta": "a" * 900_000}
    error = fail(stream(events(*[delta] * 5)), **API)
    assert "more than 4 MiB of text" in error.message


@pytest.mark.parametrize("figure", [True, -1, 1.5, "7", None, 2**53])
def test_usage_that_is_no_count_is_unknown(figure: Any) -> None:
    document = response(text("a")) | {"usage": {"input_tokens": figure, "output_tokens": 3, "input_tokens_details": 1}}
    for reply in both(document):
        assert reply.usage == Usage(output_tokens=3)


def test_key_echoed_anywhere_is_removed() -> None:
    output = (text(KEY[:7], KEY[7:]), call(f'{{"a":"{KEY}"}}', call_id=KEY, name=KEY))
    for reply in both(response(*output) | {"id": KEY, "model": KEY}):
        assert KEY not in repr(reply)
        assert reply.text == REMOVED
        assert (reply.request_id, reply.model_returned) == (None, None)
    for error in both_fail(FAILED | {"error": {"code": KEY, "message": f"Wrong key {KEY}"}, "id": KEY}):
        assert KEY not in str(error.__dict__)


def test_status_gives_the_class_here_too() -> None:
    assert fail(answer({"error": {"code": "context_length_exceeded"}}, 400), **API).error_code == "context_overflow"
    assert fail(answer({}, 401), **API).error_code == "authentication_error"
