"""The chat provider against a server that misbehaves, over real sockets."""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import socket
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

import pytest

from engine.context.message import Message, MessageCall
from engine.providers.credential import REMOVED
from engine.providers.interface import ModelReply, ModelRequest, ProviderError, RequestOrigin
from engine.providers.model_entry import ModelEntry
from engine.providers.openai_chat import OpenAIChatProvider
from engine.providers.retry_policy import RETRY_AFTER_CAP_SECONDS, Clockwork
from tests.integration.providers.faulty_server import (
    Answer,
    FaultyServer,
    answer,
    cut,
    drip,
    flood,
    http,
    raw,
    reset,
    silence,
)

KEY = "k3y-" + "only/for+tests" * 2
SECOND = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)
ORIGIN = RequestOrigin(run_id="b-0001", case_id="quote-basic", locale="en", repeat=1, turn=0)


@dataclass(kw_only=True)
class Waits:
    """Records how long the provider would have waited; jitter stands at one half."""

    seconds: list[float] = field(default_factory=list)

    async def sleep(self, seconds: float) -> None:
        self.seconds.append(seconds)
        await asyncio.sleep(0)

    def clockwork(self) -> Clockwork:
        return Clockwork(clock=lambda: 0.0, now=lambda: SECOND, sleep=self.sleep, jitter=lambda: 0.5)


def entry(url: str, **settings: Any) -> ModelEntry:
    fields = {
        "key": "test-model",
        "display_name": "Test model",
        "family": "test",
        "provider": "test",
        "wire_api": "openai_chat",
        "model_id": "test-1",
        "base_url": url,
        "max_retries": 0,
        **settings,
    }
    return ModelEntry.model_validate(fields)


def request(*messages: Message, tools: tuple[Mapping[str, Any], ...] = ()) -> ModelRequest:
    given = messages or (Message(role="user", content="What is the price?"),)
    return ModelRequest(messages=given, tools=tools, max_output_tokens=256, origin=ORIGIN)


def completion(message: Any, finish: Any = "stop", **more: Any) -> dict[str, Any]:
    return {"id": "cmpl-1", "model": "test-1", "choices": [{"message": message, "finish_reason": finish}], **more}


OK = completion({"role": "assistant", "content": "fine"})


def ask(*answers: Answer, waits: Waits | None = None, **settings: Any) -> tuple[ModelReply, FaultyServer]:
    """The reply to one call, and the server with what it saw."""

    async def call() -> tuple[ModelReply, FaultyServer]:
        async with FaultyServer(*answers) as server:
            clockwork = (waits or Waits()).clockwork()
            provider = OpenAIChatProvider(entry(server.url, **settings), KEY, clockwork=clockwork)
            try:
                return await provider.complete(request()), server
            finally:
                await provider.close()

    return asyncio.run(call())


def fail(*answers: Answer, waits: Waits | None = None, **settings: Any) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        ask(*answers, waits=waits, **settings)
    assert KEY not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    return caught.value


def statuses(attempts: Any) -> list[tuple[int | None, str | None]]:
    return [(attempt.status, attempt.code) for attempt in attempts]


# --- what is sent


def test_request_holds_messages_calls_tools_and_numbers_and_no_null() -> None:
    tools = ({"type": "function", "function": {"name": "get_quote", "parameters": {"type": "object"}}},)
    messages = (
        Message(role="system", content="Be brief."),
        Message(role="user", content="价格？"),
        Message(
            role="assistant",
            content="",
            tool_calls=(MessageCall(id="c1", name="get_quote", arguments='{"s": "X"}'),),
        ),
        Message(role="tool", content="42", tool_call_id="c1"),
    )

    async def call() -> FaultyServer:
        async with FaultyServer(answer(OK)) as server:
            parameters = {"temperature": "0.7", "seed": 7}
            provider = OpenAIChatProvider(entry(server.url, parameters=parameters), KEY)
            await provider.complete(request(*messages, tools=tools))
            await provider.close()
        return server

    seen = asyncio.run(call()).requests[0]
    assert seen.line == "POST /v1/chat/completions HTTP/1.1"
    assert seen.document() == {
        "model": "test-1",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "价格？"},
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [
                    {"id": "c1", "type": "function", "function": {"name": "get_quote", "arguments": '{"s": "X"}'}}
                ],
            },
            {"role": "tool", "content": "42", "tool_call_id": "c1"},
        ],
        "max_tokens": 256,
        "temperature": 0.7,
        "seed": 7,
        "tools": list(tools),
    }
    assert seen.headers["authorization"] == f"Bearer {KEY}"
    assert seen.headers["accept-encoding"] == "identity"
    assert seen.headers["user-agent"].startswith("glassbench")
    assert KEY.encode() not in seen.body


def test_model_without_a_key_sends_no_authorization_and_uses_the_limit_field_of_its_entry() -> None:
    async def call() -> FaultyServer:
        async with FaultyServer(answer(OK)) as server:
            provider = OpenAIChatProvider(entry(server.url, output_limit_field="max_completion_tokens"), None)
            await provider.complete(request())
            await provider.close()
        return server

    seen = asyncio.run(call()).requests[0]
    assert "authorization" not in seen.headers
    assert seen.document()["max_completion_tokens"] == 256
    assert "max_tokens" not in seen.document()
    assert "tools" not in seen.document()


def test_proxy_of_the_environment_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    reply, _ = ask(answer(OK))
    assert reply.text == "fine"


def test_cookie_of_a_server_is_not_sent_back() -> None:
    waits = Waits()
    _, server = ask(answer({}, 503, {"Set-Cookie": "a=b"}), answer(OK), waits=waits, max_retries=1)
    assert "cookie" not in server.requests[1].headers


# --- classes of failure


@pytest.mark.parametrize(
    ("status", "body", "code"),
    [
        (401, {"error": {"message": "no"}}, "authentication_error"),
        (403, {"error": {"message": "no"}}, "authentication_error"),
        (404, {"error": {"message": "no such model"}}, "provider_4xx"),
        (400, {"error": {"message": "bad", "code": None}}, "provider_4xx"),
        (400, {"error": {"message": "long", "code": "context_length_exceeded"}}, "context_overflow"),
        (400, {"error": {"message": "This model's maximum context length is 8192 tokens"}}, "context_overflow"),
        (400, {"error": {"type": "exceed_context_size_error", "message": "too big"}}, "context_overflow"),
        (400, {"error": {"code": "content_filter", "message": "no"}}, "content_filtered"),
        (400, {"error": "blocked by our content policy"}, "content_filtered"),
        (413, {"detail": "prompt is too long"}, "context_overflow"),
        (429, {"error": {"message": "slow down"}}, "rate_limited"),
        (500, {"error": {"message": "maximum context length"}}, "provider_5xx"),
        (503, ["odd"], "provider_5xx"),
        (799, {}, "invalid_response"),
    ],
)
def test_status_and_wording_give_the_class(status: int, body: Any, code: str) -> None:
    error = fail(answer(body, status))
    assert error.error_code == error.code == code
    assert statuses(error.attempts) == [(status if status < 600 else None, code)]


def test_error_message_tells_the_servers_plain_words_and_stops_at_an_address() -> None:
    told = {"error": {"message": "Model is loading, ask 10.0.0.7 or http://inner later", "type": "unavailable_error"}}
    assert fail(answer(told, 503)).message == (
        "model 'test-model': HTTP 503 (unavailable_error): Model is loading, ask"
    )


HTML = b"<html><body>Welcome</body></html>"
GOOD = json.dumps(OK).encode()


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        pytest.param(http(200, HTML, {"Content-Type": "text/html"}), "invalid_response", id="html"),
        pytest.param(http(200, HTML), "invalid_response", id="html-declared-as-json"),
        pytest.param(http(200, GOOD, {"Content-Type": "text/plain"}), "invalid_response", id="wrong-content-type"),
        pytest.param(http(200, b""), "empty_response", id="empty-body"),
        pytest.param(http(200, b" \r\n "), "empty_response", id="blank-body"),
        pytest.param(b"HTTP/1.1 204 None\r\n\r\n", "empty_response", id="no-content"),
        pytest.param(http(200, b'{"error":{"message":"bad key"}}'), "invalid_response", id="error-object"),
        pytest.param(http(200, b'{"error":"bad"}'), "invalid_response", id="error-text"),
        pytest.param(http(200, GOOD[:-5]), "invalid_response", id="truncated-json"),
        pytest.param(http(200, b'{"choices":[],"choices":[]}'), "invalid_response", id="duplicate-keys"),
        pytest.param(http(200, GOOD[:-1] + b',"x":NaN}'), "invalid_response", id="nan"),
        pytest.param(http(200, GOOD[:-1] + b',"x":-Infinity}'), "invalid_response", id="infinity"),
        pytest.param(http(200, GOOD[:-1] + b',"x":' + b"9" * 5000 + b"}"), "invalid_response", id="huge-integer"),
        pytest.param(http(200, b"[" * 100_000), "invalid_response", id="deep-nesting"),
        pytest.param(http(200, b'{"choices":"\xff"}'), "invalid_response", id="not-utf-8"),
        pytest.param(http(200, b"[]"), "invalid_response", id="no-object"),
        pytest.param(http(200, b"{}"), "invalid_response", id="no-choices"),
        pytest.param(http(200, b'{"choices":[]}'), "invalid_response", id="empty-choices"),
        pytest.param(http(200, b'{"choices":[{"message":null}]}'), "invalid_response", id="no-message"),
        pytest.param(http(200, b'{"choices":[{"message":{"content":7}}]}'), "invalid_response", id="content-number"),
        pytest.param(
            http(200, b'{"choices":[{"message":{"tool_calls":{}}}]}'), "invalid_response", id="calls-that-are-no-list"
        ),
        pytest.param(
            http(200, b'{"choices":[{"error":{"code":400},"message":{}}]}'), "invalid_response", id="error-in-choice"
        ),
        pytest.param(http(200, GOOD, {"Content-Encoding": "gzip"}), "invalid_response", id="compressed"),
        pytest.param(http(302, b"", {"Location": "https://elsewhere.example/"}), "invalid_response", id="redirect"),
        pytest.param(
            http(200, json.dumps(completion({"content": ""}, "length")).encode()),
            "output_truncated",
            id="cut-off-empty",
        ),
        pytest.param(
            http(200, json.dumps(completion({"content": None}, "length")).encode()),
            "output_truncated",
            id="cut-off-null",
        ),
    ],
)
def test_unusable_answer_is_classified_and_never_asked_again(sent: bytes, code: str) -> None:
    waits = Waits()
    error = fail(raw(sent), answer(OK), waits=waits, max_retries=3)
    assert error.error_code == code
    assert len(error.attempts) == 1
    assert waits.seconds == []


@pytest.mark.parametrize(
    ("bad", "status"),
    [
        pytest.param(cut(b""), None, id="end-before-status"),
        pytest.param(reset(), None, id="reset-before-status"),
        pytest.param(cut(b"SSH-2.0-x\r\n"), None, id="not-http"),
        pytest.param(cut(http(200, GOOD, {"Content-Length": "9999"})), 200, id="short-of-its-length"),
        pytest.param(
            cut(
                b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
                b"ff\r\n" + GOOD[:40]
            ),
            200,
            id="chunked-cut-mid-body",
        ),
    ],
)
def test_broken_connection_is_a_network_error_and_is_tried_again(bad: Answer, status: int | None) -> None:
    assert statuses(fail(bad).attempts) == [(status, "network_error")]
    reply, _ = ask(bad, answer(OK), max_retries=1)
    assert statuses(reply.attempts) == [(status, "network_error"), (200, None)]


def test_reset_mid_body_is_a_network_error() -> None:
    # Whether the status was read before the reset arrived is the kernel's choice.
    error = fail(reset(http(200, GOOD, {"Content-Length": "9999"})))
    assert error.error_code == "network_error"


def test_nobody_listening_is_a_network_error() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))  # bound, but not listening: refused, and no one else can take the port

        async def call() -> None:
            provider = OpenAIChatProvider(entry(f"http://127.0.0.1:{held.getsockname()[1]}/v1"), KEY)
            try:
                await provider.complete(request())
            finally:
                await provider.close()

        with pytest.raises(ProviderError) as caught:
            asyncio.run(call())
    assert statuses(caught.value.attempts) == [(None, "network_error")]


def test_connection_that_is_never_taken_is_a_connect_timeout() -> None:
    with socket.socket() as full, socket.socket() as first, socket.socket() as second:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        for client in (first, second):
            client.setblocking(False)
            client.connect_ex(full.getsockname())

        async def call() -> None:
            url = f"http://127.0.0.1:{full.getsockname()[1]}/v1"
            provider = OpenAIChatProvider(entry(url, timeout_seconds={"connect": 0.2}), KEY)
            try:
                await provider.complete(request())
            finally:
                await provider.close()

        with pytest.raises(ProviderError) as caught:
            asyncio.run(call())
    assert statuses(caught.value.attempts) == [(None, "connect_timeout")]


def test_silent_server_is_a_read_timeout_and_is_tried_again() -> None:
    reply, _ = ask(silence, answer(OK), timeout_seconds={"read": 0.2}, max_retries=1)
    assert statuses(reply.attempts) == [(None, "read_timeout"), (200, None)]


def test_slow_drip_ends_at_the_total_deadline() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n"
    error = fail(drip(head), timeout_seconds={"read": 5, "total": 0.3}, max_retries=3)
    assert statuses(error.attempts) == [(200, "read_timeout")]
    assert "0.3 s in all" in error.message


def test_body_beyond_4_mib_is_cut_off() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"
    error = fail(flood(head))
    assert error.error_code == "invalid_response"
    assert "more than 4 MiB" in error.message


def test_endless_error_body_is_cut_off_and_still_has_its_class() -> None:
    head = b"HTTP/1.1 401 No\r\nContent-Type: application/json\r\n\r\n"
    assert fail(flood(head)).error_code == "authentication_error"


def test_error_body_that_breaks_off_still_has_its_class() -> None:
    error = fail(cut(http(429, b'{"error"', {"Content-Length": "999"})))
    assert statuses(error.attempts) == [(429, "rate_limited")]


# --- retries


def test_server_error_then_ok_is_one_reply_with_two_attempts() -> None:
    waits = Waits()
    reply, server = ask(answer({}, 502), answer(OK), waits=waits, max_retries=2)
    assert reply.text == "fine"
    assert statuses(reply.attempts) == [(502, "provider_5xx"), (200, None)]
    assert waits.seconds == [0.5]
    assert server.requests[0].body == server.requests[1].body


def test_storm_of_429_waits_as_told_and_gives_up() -> None:
    waits = Waits()
    error = fail(
        answer({}, 429, {"Retry-After": "7"}),
        answer({}, 429, {"Retry-After": "Sun, 01 Mar 2026 12:00:20 GMT"}),
        answer({}, 429, {"Retry-After": "86400"}),
        answer({}, 429, {"Retry-After": "soon"}),
        answer({}, 429),
        waits=waits,
        max_retries=4,
    )
    assert error.error_code == "rate_limited"
    assert statuses(error.attempts) == [(429, "rate_limited")] * 5
    assert waits.seconds == [7.5, 21.0, RETRY_AFTER_CAP_SECONDS + 2.0, 4.0]


def test_wait_that_would_pass_the_deadline_is_not_begun() -> None:
    waits = Waits()
    error = fail(answer({}, 429, {"Retry-After": "60"}), waits=waits, max_retries=3, timeout_seconds={"total": 30})
    assert len(error.attempts) == 1
    assert waits.seconds == []


@pytest.mark.parametrize(("status", "attempts"), [(400, 1), (401, 1), (404, 1), (422, 1), (408, 3), (429, 3), (500, 3)])
def test_clear_4xx_is_never_tried_again(status: int, attempts: int) -> None:
    assert len(fail(answer({}, status), max_retries=2).attempts) == attempts


def test_429_of_an_empty_account_is_not_tried_again() -> None:
    error = fail(answer({"error": {"code": "insufficient_quota"}}, 429), max_retries=2)
    assert statuses(error.attempts) == [(429, "rate_limited")]


@pytest.mark.parametrize(
    "inner", [{"code": 502}, {"code": 429}, {"type": "server_error"}, {"type": "overloaded_error"}]
)
def test_200_with_the_error_of_a_busy_server_is_tried_again(inner: Any) -> None:
    reply, _ = ask(answer({"error": inner}), answer(OK), max_retries=1)
    assert statuses(reply.attempts) == [(200, "invalid_response"), (200, None)]


# --- the key never comes back


@pytest.mark.parametrize(
    "spelling",
    [
        pytest.param(KEY, id="plain"),
        pytest.param(quote(KEY, safe=""), id="percent"),
        pytest.param(quote(KEY, safe="").lower(), id="percent-lower"),
        pytest.param(KEY.replace("/", "\\/"), id="json-escaped"),
        pytest.param("".join(f"\\u{ord(c):04X}" for c in KEY), id="json-escaped-throughout"),
        pytest.param("".join(f"%{ord(c):02x}" for c in KEY), id="percent-throughout"),
        pytest.param(base64.b64encode(KEY.encode()).decode(), id="base64"),
        pytest.param(base64.b64encode(f"Bearer {KEY}!".encode()).decode(), id="base64-inside"),
        pytest.param(base64.urlsafe_b64encode(f"x:{KEY}".encode()).decode(), id="base64-url"),
    ],
)
def test_key_echoed_in_the_reply_is_removed_everywhere(spelling: str) -> None:
    call = {"id": spelling, "function": {"name": spelling, "arguments": json.dumps({"a": spelling})}}
    shape = {"id": "c", "function": {"name": "t", "arguments": {spelling: spelling}}}
    document = completion(
        {"content": f"key: {spelling}.", "tool_calls": [call, shape, spelling]}, spelling, system_fingerprint=spelling
    )
    document |= {"id": spelling, "model": spelling}
    reply, _ = ask(answer(document, headers={"x-request-id": spelling}))
    core = spelling.strip("=")[4:-4]
    assert core not in repr(reply)
    assert core not in repr(reply).replace("\\\\", "\\")
    assert REMOVED in (reply.text or "")
    assert REMOVED in reply.tool_calls[0].name
    assert REMOVED in reply.tool_calls[1].arguments
    assert (reply.request_id, reply.model_returned, reply.system_fingerprint, reply.finish_reason) == (None,) * 4


def test_key_split_over_two_parts_of_the_content_is_removed() -> None:
    parts = [{"type": "text", "text": KEY[:9]}, {"type": "text", "text": KEY[9:]}]
    reply, _ = ask(answer(completion({"content": parts})))
    assert reply.text == REMOVED


@pytest.mark.parametrize("status", [200, 400, 401, 500])
def test_key_echoed_in_an_error_is_removed(status: int, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    told = {"error": {"message": f"Incorrect key provided: {KEY} is wrong", "code": KEY}}
    error = fail(answer(told, status, {"x-echo": KEY, "Location": KEY}))
    assert f"Incorrect key provided: {REMOVED} is wrong" in error.message
    assert KEY not in caplog.text


# --- what a reply holds


def call_of(arguments: Any) -> dict[str, Any]:
    return {"id": "c1", "type": "function", "function": {"name": "get_quote", "arguments": arguments}}


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


# --- many at once


def run_many(count: int, **settings: Any) -> tuple[list[ModelReply], FaultyServer]:
    async def call() -> tuple[list[ModelReply], FaultyServer]:
        async with FaultyServer(answer(OK)) as server:
            provider = OpenAIChatProvider(entry(server.url, **settings), KEY)
            waiting: list[Coroutine[Any, Any, ModelReply]] = [provider.complete(request()) for _ in range(count)]
            try:
                return await asyncio.gather(*waiting), server
            finally:
                await provider.close()

    return asyncio.run(call())


def test_32_calls_at_once_are_all_answered_over_at_most_32_connections() -> None:
    replies, server = run_many(96, concurrency=32)
    assert [reply.text for reply in replies] == ["fine"] * 96
    assert len(server.requests) == 96
    assert server.connections <= 32


def test_connection_is_used_again() -> None:
    _, server = run_many(20, concurrency=1)
    assert server.connections <= 8


def test_cancelled_call_leaves_the_provider_usable() -> None:
    async def call() -> ModelReply:
        async with FaultyServer(silence, answer(OK)) as server:
            provider = OpenAIChatProvider(entry(server.url), KEY)
            first = asyncio.create_task(provider.complete(request()))
            while not server.requests:
                await asyncio.sleep(0.001)
            first.cancel()
            with pytest.raises(asyncio.CancelledError):
                await first
            try:
                return await provider.complete(request())
            finally:
                await provider.close()

    assert asyncio.run(call()).text == "fine"
