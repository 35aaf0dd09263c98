"""A server that says 429 is asked by fewer at once; one that breaks isn't."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from engine.providers.http_provider import HttpProvider
from engine.providers.interface import ModelReply, ProviderError
from engine.providers.open_gate import OpenGate
from tests.integration.providers.asking import KEY, OK, Waits, chat, entry, request
from tests.integration.providers.faulty_server import Answer, FaultyServer, answer, silence
from tests.integration.providers.gate_diary import GateDiary


class Crowd:
    """Answers slowly and counts how many it serves at once."""

    def __init__(self, *answers: Answer) -> None:
        self._answers: Iterator[Answer] = iter(answers)
        self._now = 0
        self.most = 0

    async def __call__(self, writer: asyncio.StreamWriter) -> None:
        self._now += 1
        self.most = max(self.most, self._now)
        await asyncio.sleep(0.01)
        self._now -= 1
        await next(self._answers, answer(OK))(writer)


async def all_of(provider: HttpProvider, count: int) -> list[ModelReply]:
    return await asyncio.gather(*(provider.complete(request(), OpenGate()) for _ in range(count)))


async def most_at_once_after(status: int) -> int:
    crowd = Crowd(answer(OK, status))
    async with FaultyServer(crowd) as server:
        provider = chat(entry(server.url, concurrency=8, max_retries=1), KEY, Waits().clockwork())
        await provider.complete(request(), OpenGate())
        crowd.most = 0
        await all_of(provider, 12)
        await provider.close()
        return crowd.most


@pytest.mark.parametrize(("status", "most"), [(429, range(4, 8)), (503, range(8, 9)), (200, range(8, 9))])
def test_refusal_and_nothing_else_lowers_how_many_ask_at_once(status: int, most: range) -> None:
    assert asyncio.run(most_at_once_after(status)) in most


def test_storm_of_refusals_ends_with_every_call_answered() -> None:
    async def body() -> None:
        crowd = Crowd(*[answer({}, 429)] * 40)
        async with FaultyServer(crowd) as server:
            provider = chat(entry(server.url, concurrency=8, max_retries=10), KEY, Waits().clockwork())
            replies = await all_of(provider, 24)
            assert len(replies) == 24
            assert sum(len(reply.attempts) for reply in replies) == 64
            await provider.close()

    asyncio.run(body())


def test_call_that_waits_for_its_turn_is_not_yet_admitted() -> None:
    async def body() -> None:
        async with FaultyServer(answer({}, 429), silence) as server:
            provider = chat(entry(server.url, concurrency=2))
            with pytest.raises(ProviderError):
                await provider.complete(request(), OpenGate())
            diaries = [GateDiary(), GateDiary()]
            tasks = [asyncio.create_task(provider.complete(request(), diary)) for diary in diaries]
            while len(server.requests) < 2:
                await asyncio.sleep(0.001)
            await asyncio.sleep(0.02)
            assert [diary.seen for diary in diaries] == [["admit", "sending"], []]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            assert [diary.seen for diary in diaries] == [["admit", "sending", None], []]
            await provider.close()

    asyncio.run(body())
