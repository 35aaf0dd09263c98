"""What the chat provider sends."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from engine.context.message import Message, MessageCall
from engine.providers.open_gate import OpenGate
from tests.integration.providers.asking import (
    KEY,
    OK,
    Waits,
    ask,
    chat,
    entry,
    request,
)
from tests.integration.providers.faulty_server import (
    FaultyServer,
    answer,
)


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
            provider = chat(entry(server.url, parameters=parameters))
            await provider.complete(request(*messages, tools=tools), OpenGate())
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
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    assert seen.headers["content-type"] == "application/json"
    assert seen.headers["accept"] == "text/event-stream, application/json"
    assert seen.headers["authorization"] == f"Bearer {KEY}"
    assert seen.headers["accept-encoding"] == "identity"
    assert seen.headers["user-agent"].startswith("glassbench")
    assert KEY.encode() not in seen.body


def test_model_without_a_key_sends_no_authorization_and_uses_the_limit_field_of_its_entry() -> None:
    async def call() -> FaultyServer:
        async with FaultyServer(answer(OK)) as server:
            provider = chat(entry(server.url, output_limit_field="max_completion_tokens"), None)
            await provider.complete(request(), OpenGate())
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
    async def call() -> FaultyServer:
        async with FaultyServer(answer({}, 503, {"Set-Cookie": "a=b"}), answer(OK)) as server:
            # By name, because the library's own jar takes no cookie from an address.
            model = entry(server.url.replace("127.0.0.1", "localhost"), max_retries=1)
            provider = chat(model, clockwork=Waits().clockwork())
            await provider.complete(request(), OpenGate())
            await provider.close()
        return server

    assert "cookie" not in asyncio.run(call()).requests[1].headers


def test_password_file_of_the_user_is_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "netrc"
    file.write_text("machine 127.0.0.1 login a password b\n")
    monkeypatch.setenv("NETRC", str(file))

    async def call() -> FaultyServer:
        async with FaultyServer(answer(OK)) as server:
            provider = chat(entry(server.url), None)
            await provider.complete(request(), OpenGate())
            await provider.close()
        return server

    assert "authorization" not in asyncio.run(call()).requests[0].headers
