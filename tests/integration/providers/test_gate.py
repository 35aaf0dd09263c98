"""Each try passes its gate: admitted before it, marked before its first byte, settled whatever happens."""

from __future__ import annotations

import asyncio
import errno
import socket
import traceback
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from dataset.artifacts.artifact import Usage
from dataset.errors import GlassbenchError
from engine.providers.http_provider import HttpProvider
from engine.providers.interface import AdmissionDeniedError, ModelReply, ProviderError, TryOutcome
from engine.providers.open_gate import OpenGate
from engine.providers.retry_policy import Clockwork
from tests.integration.providers.asking import KEY, OK, Waits, ask, chat, completion, entry, request
from tests.integration.providers.faulty_server import Answer, FaultyServer, answer, cut, drip, silence
from tests.integration.providers.gate_diary import GateDiary

USAGE = {"prompt_tokens": 9, "completion_tokens": 4}


class LedgerDownError(GlassbenchError):
    code = "TEST-LEDGER-001"


async def until(condition: Callable[[], bool]) -> None:
    while not condition():
        await asyncio.sleep(0.001)


def asked(provider: HttpProvider, diary: GateDiary) -> asyncio.Task[ModelReply]:
    return asyncio.create_task(provider.complete(request(), diary))


def refused(diary: GateDiary, url: str, **settings: Any) -> ProviderError:
    """The error of one call to a place that no server answers at."""

    async def call() -> None:
        provider = chat(entry(url, **settings))
        try:
            await provider.complete(request(), diary)
        finally:
            await provider.close()

    with pytest.raises(ProviderError) as caught:
        asyncio.run(call())
    return caught.value


def test_try_is_marked_when_the_connection_is_there_and_nothing_was_sent() -> None:
    async def call() -> None:
        async with FaultyServer(answer(OK)) as server:
            begun = 0

            async def look() -> None:
                await until(lambda: server.connections == 1)
                await asyncio.sleep(0.02)
                assert server.begun == begun

            diary = GateDiary(on_sending=look)
            provider = chat(entry(server.url))
            await provider.complete(request(), diary)
            begun = 1
            await provider.complete(request(), diary)  # over the same connection
            await provider.close()
            assert server.connections == 1
            assert diary.seen == ["admit", "sending", TryOutcome(status=200)] * 2

    asyncio.run(call())


def test_each_try_is_settled_with_what_the_server_said() -> None:
    diary = GateDiary()
    ok = answer(completion({"content": "fine"}, usage=USAGE))
    ask(answer({}, 429), answer({}, 500), ok, waits=Waits(), gate=diary, max_retries=2)
    expected = (
        TryOutcome(code="rate_limited", status=429),
        TryOutcome(code="provider_5xx", status=500),
        TryOutcome(usage=Usage(input_tokens=9, output_tokens=4), status=200),
    )
    assert diary.seen == [entry for outcome in expected for entry in ("admit", "sending", outcome)]


def test_failed_try_is_settled_with_the_usage_that_must_be_paid() -> None:
    diary = GateDiary()
    with pytest.raises(ProviderError):
        ask(answer(completion({"content": ""}, "length", usage=USAGE)), gate=diary)
    usage = Usage(input_tokens=9, output_tokens=4)
    assert diary.outcomes == [TryOutcome(usage=usage, code="output_truncated", status=200)]


def test_refused_connection_is_settled_as_never_sent() -> None:
    diary = GateDiary()
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        refused(diary, f"http://127.0.0.1:{held.getsockname()[1]}/v1")
    assert diary.seen == ["admit", TryOutcome(code="network_error")]


def test_name_that_cannot_be_looked_up_is_settled_as_never_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: Any, **__: Any) -> Any:
        raise socket.gaierror(socket.EAI_NONAME, "unknown")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    diary = GateDiary()
    error = refused(diary, "https://no-such-host.invalid/v1")
    assert diary.seen == ["admit", TryOutcome(code="network_error")]
    assert "no-such-host" not in error.message


def test_connection_that_never_comes_is_settled_as_never_sent() -> None:
    diary = GateDiary()
    with socket.socket() as full, socket.socket() as first, socket.socket() as second:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        for client in (first, second):
            client.setblocking(False)
            client.connect_ex(full.getsockname())
        url = f"http://127.0.0.1:{full.getsockname()[1]}/v1"
        refused(diary, url, timeout_seconds={"connect": 0.2})
    assert diary.seen == ["admit", TryOutcome(code="connect_timeout")]


def test_wait_for_a_free_connection_is_settled_as_never_sent() -> None:
    async def call() -> None:
        async with FaultyServer(silence) as server:
            diary = GateDiary()
            provider = chat(entry(server.url, concurrency=1, timeout_seconds={"pool": 0.1}))
            first = asked(provider, GateDiary())
            await until(lambda: bool(server.requests))
            with pytest.raises(ProviderError) as caught:
                await provider.complete(request(), diary)
            assert "no free connection" in caught.value.message
            assert caught.value.__context__ is None
            assert diary.seen == ["admit", TryOutcome(code="connect_timeout")]
            first.cancel()
            await asyncio.gather(first, return_exceptions=True)
            await provider.close()

    asyncio.run(call())


@pytest.mark.parametrize(
    "fault",
    [
        LedgerDownError("down"),
        ConnectionRefusedError(errno.ECONNREFUSED, "the database's, not the server's"),
        TimeoutError(),
        RuntimeError("a bug"),
    ],
    ids=lambda fault: type(fault).__name__,
)
def test_nothing_is_sent_where_the_mark_fails_and_its_error_passes_through(fault: Exception) -> None:
    async def down() -> None:
        raise fault

    async def call() -> None:
        async with FaultyServer(answer(OK)) as server:
            diary = GateDiary(on_sending=down)
            provider = chat(entry(server.url, max_retries=3))
            with pytest.raises(type(fault)) as caught:
                await provider.complete(request(), diary)
            assert caught.value is fault
            assert caught.value.__cause__ is None
            assert caught.value.__context__ is None
            files = [Path(frame.filename) for frame in traceback.extract_tb(fault.__traceback__)]
            assert not any("aiohttp" in file.parts or file.name == "connections.py" for file in files)
            assert diary.seen == ["admit", None]
            assert (await provider.complete(request(), OpenGate())).text == "fine"
            assert server.begun == 1
            await provider.close()

    asyncio.run(call())


def test_nothing_is_connected_where_no_try_is_admitted() -> None:
    async def never() -> None:
        raise LedgerDownError("the budget is spent")

    async def call() -> None:
        async with FaultyServer(answer(OK)) as server:
            diary = GateDiary(on_admit=never)
            provider = chat(entry(server.url, max_retries=3))
            with pytest.raises(LedgerDownError):
                await provider.complete(request(), diary)
            assert diary.seen == []
            assert server.connections == 0
            await provider.close()

    asyncio.run(call())


HALF = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n"


@pytest.mark.parametrize(
    ("reaction", "seen"),
    [
        pytest.param(silence, ["admit", "sending", None], id="before-the-answer"),
        pytest.param(drip(HALF), ["admit", "sending", None], id="within-the-answer"),
    ],
)
def test_cancelled_try_that_was_sent_is_settled_as_unknown(reaction: Answer, seen: list[Any]) -> None:
    async def call() -> None:
        async with FaultyServer(reaction) as server:
            diary = GateDiary()
            provider = chat(entry(server.url))
            task = asked(provider, diary)
            await until(lambda: bool(server.requests))
            await asyncio.sleep(0.02)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert diary.seen == seen
            await provider.close()

    asyncio.run(call())


def test_try_cancelled_while_it_is_marked_is_settled_and_sends_nothing() -> None:
    async def call() -> None:
        async with FaultyServer(answer(OK)) as server:
            waiting = asyncio.Event()

            async def for_ever() -> None:
                waiting.set()
                await asyncio.Event().wait()

            diary = GateDiary(on_sending=for_ever)
            provider = chat(entry(server.url))
            task = asked(provider, diary)
            await waiting.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert diary.seen == ["admit", None]
            assert server.begun == 0
            await provider.close()

    asyncio.run(call())


def test_try_cancelled_while_it_connects_is_settled() -> None:
    async def call() -> None:
        with socket.socket() as full, socket.socket() as first, socket.socket() as second:
            full.bind(("127.0.0.1", 0))
            full.listen(0)
            for client in (first, second):
                client.setblocking(False)
                client.connect_ex(full.getsockname())
            diary = GateDiary()
            provider = chat(entry(f"http://127.0.0.1:{full.getsockname()[1]}/v1"))
            task = asked(provider, diary)
            await until(lambda: "admit" in diary.seen)
            await asyncio.sleep(0.02)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert diary.seen == ["admit", None]
            await provider.close()

    asyncio.run(call())


def test_call_cancelled_before_it_is_admitted_settles_nothing() -> None:
    async def for_ever() -> None:
        await asyncio.Event().wait()

    async def call() -> None:
        async with FaultyServer(answer(OK)) as server:
            diary = GateDiary(on_admit=for_ever)
            provider = chat(entry(server.url))
            task = asked(provider, diary)
            await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert diary.seen == []
            assert server.connections == 0
            await provider.close()

    asyncio.run(call())


def test_post_over_a_connection_that_breaks_is_never_repeated_by_the_library() -> None:
    async def call() -> None:
        async with FaultyServer(answer(OK), cut(b""), answer(OK)) as server:
            diary = GateDiary()
            provider = chat(entry(server.url))
            await provider.complete(request(), OpenGate())
            with pytest.raises(ProviderError) as caught:
                await provider.complete(request(), diary)
            assert caught.value.error_code == "network_error"
            assert diary.seen == ["admit", "sending", TryOutcome(code="network_error")]
            assert (server.begun, server.connections) == (2, 1)
            await provider.close()

    asyncio.run(call())


def test_connection_that_died_while_the_try_was_marked_is_replaced_since_nothing_was_sent() -> None:
    async def call() -> None:
        over, closed = asyncio.Event(), asyncio.Event()

        async def keep_a_while(writer: asyncio.StreamWriter) -> None:
            await answer(OK)(writer)
            await over.wait()
            writer.close()
            closed.set()

        async def let_it_die() -> None:
            over.set()
            await closed.wait()
            await asyncio.sleep(0.02)

        async with FaultyServer(keep_a_while, answer(OK)) as server:
            diary = GateDiary(on_sending=let_it_die)
            provider = chat(entry(server.url))
            await provider.complete(request(), OpenGate())
            reply = await provider.complete(request(), diary)
            assert len(reply.attempts) == 1
            assert diary.seen == ["admit", "sending", TryOutcome(status=200)]
            assert (server.begun, server.connections) == (2, 2)
            await provider.close()

    asyncio.run(call())


def passing(clock: list[float], seconds: float) -> Callable[[], Awaitable[None]]:
    async def wait() -> None:
        clock[0] += seconds

    return wait


def test_wait_for_admission_counts_against_no_deadline() -> None:
    async def call() -> None:
        async with FaultyServer(answer({}, 503), answer(OK)) as server:
            clock = [0.0]
            clockwork = Clockwork(clock=lambda: clock[0], sleep=asyncio.sleep, jitter=lambda: 0.0)
            provider = chat(entry(server.url, max_retries=1, timeout_seconds={"total": 30}), KEY, clockwork)
            reply = await provider.complete(request(), GateDiary(on_admit=passing(clock, 1000.0)))
            assert len(reply.attempts) == 2
            await provider.close()

    asyncio.run(call())


def test_latency_is_the_servers_and_not_the_ledgers() -> None:
    async def call() -> None:
        async with FaultyServer(answer(OK)) as server:
            clock = [0.0]
            clockwork = Clockwork(clock=lambda: clock[0])
            provider = chat(entry(server.url), KEY, clockwork)
            reply = await provider.complete(request(), GateDiary(on_sending=passing(clock, 7.0)))
            assert reply.latency_ms == 0
            await provider.close()

    asyncio.run(call())


def test_tries_use_up_the_deadline_of_their_call() -> None:
    async def call() -> None:
        async with FaultyServer(answer({}, 503)) as server:
            clock = [0.0]
            clockwork = Clockwork(clock=lambda: clock[0], sleep=asyncio.sleep, jitter=lambda: 0.0)
            provider = chat(entry(server.url, max_retries=9, timeout_seconds={"total": 30}), KEY, clockwork)
            with pytest.raises(ProviderError) as caught:
                await provider.complete(request(), GateDiary(on_sending=passing(clock, 20.0)))
            assert len(caught.value.attempts) == 2
            assert caught.value.latency_ms == 40_000
            await provider.close()

    asyncio.run(call())


def denying(admitted: int) -> GateDiary:
    """Admits so many tries of a call and never another."""

    async def admit() -> None:
        if diary.seen.count("admit") >= admitted:
            raise AdmissionDeniedError("nothing is left", code="BATCH-BUDGET-001")

    diary = GateDiary(on_admit=admit)
    return diary


def test_call_whose_next_try_is_denied_ends_as_its_last_try_did_and_keeps_its_attempts() -> None:
    diary = denying(1)
    with pytest.raises(ProviderError) as caught:
        ask(answer({}, 500), answer(OK), waits=Waits(), gate=diary, max_retries=2)
    assert (caught.value.error_code, [a.status for a in caught.value.attempts]) == ("provider_5xx", [500])
    assert diary.seen == ["admit", "sending", TryOutcome(code="provider_5xx", status=500)]


def test_call_whose_first_try_is_denied_says_so() -> None:
    diary = denying(0)
    with pytest.raises(AdmissionDeniedError):
        ask(answer(OK), gate=diary)
    assert diary.seen == []
