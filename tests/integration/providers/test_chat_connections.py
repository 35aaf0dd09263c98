"""Connections that break, hang, drip or flood; and many calls at once."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Coroutine
from typing import Any

import pytest

from engine.context.message import Message
from engine.providers import incoming_answer
from engine.providers.interface import ModelReply, ProviderError, TryOutcome
from engine.providers.open_gate import OpenGate
from tests.integration.providers.asking import (
    GOOD,
    OK,
    ask,
    chat,
    entry,
    fail,
    request,
    statuses,
)
from tests.integration.providers.faulty_server import (
    Answer,
    FaultyServer,
    answer,
    cut,
    drip,
    flood,
    http,
    reset,
    silence,
)
from tests.integration.providers.gate_diary import GateDiary


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
            provider = chat(entry(f"http://127.0.0.1:{held.getsockname()[1]}/v1"))
            try:
                await provider.complete(request(), OpenGate())
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
            provider = chat(entry(url, timeout_seconds={"connect": 0.2}))
            try:
                await provider.complete(request(), OpenGate())
            finally:
                await provider.close()

        with pytest.raises(ProviderError) as caught:
            asyncio.run(call())
    assert statuses(caught.value.attempts) == [(None, "connect_timeout")]


def test_silent_server_is_a_read_timeout_and_is_tried_again() -> None:
    reply, _ = ask(silence, answer(OK), timeout_seconds={"read": 0.2}, max_retries=1)
    assert statuses(reply.attempts) == [(None, "read_timeout"), (200, None)]


def test_server_that_does_not_take_a_large_request_is_a_write_timeout() -> None:
    async def call() -> None:
        deaf = socket.socket()  # connections are made by the kernel; nobody ever reads
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.bind(("127.0.0.1", 0))
        deaf.listen(8)
        diary = GateDiary()
        url = f"http://127.0.0.1:{deaf.getsockname()[1]}/v1"
        provider = chat(entry(url, timeout_seconds={"write": 0.2, "read": 30, "total": 60}))
        with pytest.raises(ProviderError) as caught:
            await provider.complete(request(Message(role="user", content="x" * 24 * 1024**2)), diary)
        assert "didn't take the request" in caught.value.message
        assert diary.seen == ["admit", "sending", TryOutcome(code="read_timeout")]
        assert caught.value.__context__ is None
        await provider.close()
        deaf.close()

    asyncio.run(call())


def test_large_request_arrives_whole() -> None:
    async def call() -> None:
        async with FaultyServer(answer(OK)) as server:
            provider = chat(entry(server.url))
            words = "价格 " * 500_000
            await provider.complete(request(Message(role="user", content=words)), OpenGate())
            assert server.requests[0].document()["messages"][0]["content"] == words
            await provider.close()

    asyncio.run(call())


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


def test_error_body_that_never_ends_still_has_its_class(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(incoming_answer, "_ERROR_SECONDS", 0.1)
    begun = b'HTTP/1.1 400 No\r\nContent-Length: 9999\r\n\r\n{"error":{"code":"context_length_exceeded"}}'
    assert fail(drip(begun)).error_code == "context_overflow"


def test_error_body_that_breaks_off_still_has_its_class() -> None:
    error = fail(cut(http(429, b'{"error"', {"Content-Length": "999"})))
    assert statuses(error.attempts) == [(429, "rate_limited")]


def run_many(count: int, **settings: Any) -> tuple[list[ModelReply], FaultyServer]:
    async def call() -> tuple[list[ModelReply], FaultyServer]:
        async with FaultyServer(answer(OK)) as server:
            provider = chat(entry(server.url, **settings))
            waiting: list[Coroutine[Any, Any, ModelReply]] = [
                provider.complete(request(), OpenGate()) for _ in range(count)
            ]
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
            provider = chat(entry(server.url))
            first = asyncio.create_task(provider.complete(request(), OpenGate()))
            while not server.requests:
                await asyncio.sleep(0.001)
            first.cancel()
            with pytest.raises(asyncio.CancelledError):
                await first
            try:
                return await provider.complete(request(), OpenGate())
            finally:
                await provider.close()

    assert asyncio.run(call()).text == "fine"
