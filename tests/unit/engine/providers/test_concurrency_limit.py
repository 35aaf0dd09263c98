"""A refusal halves how many calls may be under way; answers bring it back, one at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.providers.concurrency_limit import ConcurrencyLimit, Turn

Ending = Literal["refused", "answered", "failed"]


def end(limit: ConcurrencyLimit, turn: Turn, how: Ending) -> None:
    limit.give_back(turn, refused=how == "refused", answered=how == "answered")


def run(body: Coroutine[Any, Any, None]) -> None:
    asyncio.run(body)


async def one(limit: ConcurrencyLimit, how: Ending) -> int:
    end(limit, await limit.take(), how)
    return limit.limit


async def idle() -> None:
    for _ in range(3):
        await asyncio.sleep(0)


def test_limit_halves_at_each_refusal_and_never_falls_below_one() -> None:
    async def body() -> None:
        limit = ConcurrencyLimit(9)
        assert [await one(limit, "refused") for _ in range(5)] == [4, 2, 1, 1, 1]

    run(body())


def test_limit_gains_one_for_each_full_round_of_answers_up_to_the_ceiling() -> None:
    async def body() -> None:
        limit = ConcurrencyLimit(4)
        for _ in range(2):
            await one(limit, "refused")
        assert [await one(limit, "answered") for _ in range(8)] == [2, 2, 3, 3, 3, 4, 4, 4]

    run(body())


def test_server_error_changes_nothing() -> None:
    async def body() -> None:
        limit = ConcurrencyLimit(8)
        await one(limit, "refused")
        assert [await one(limit, "failed") for _ in range(5)] == [4] * 5

    run(body())


def test_refusals_of_one_moment_count_once() -> None:
    async def body() -> None:
        limit = ConcurrencyLimit(16)
        turns = [await limit.take() for _ in range(16)]
        for turn in turns:
            end(limit, turn, "refused")
        assert limit.limit == 8
        assert await one(limit, "refused") == 4

    run(body())


def test_lowered_limit_holds_callers_back_in_their_order() -> None:
    async def body() -> None:
        limit = ConcurrencyLimit(4)
        await one(limit, "refused")
        order: list[int] = []

        async def caller(number: int) -> None:
            turn = await limit.take()
            order.append(number)
            await asyncio.sleep(0)
            end(limit, turn, "failed")

        await asyncio.gather(*(caller(n) for n in range(6)))
        assert order == list(range(6))
        assert limit.under_way == 0

    run(body())


def test_caller_that_gives_up_its_place_passes_it_on() -> None:
    async def body() -> None:
        limit = ConcurrencyLimit(2)
        await one(limit, "refused")
        held = await limit.take()
        waiting, gone, last = (asyncio.create_task(limit.take()) for _ in range(3))
        await idle()
        gone.cancel()
        end(limit, held, "failed")  # gives the turn to the first
        waiting.cancel()  # before it could use it
        await idle()
        assert last.done()
        assert limit.under_way == 1

    run(body())


def test_ceiling_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="below 1"):
        ConcurrencyLimit(0)


@given(
    st.integers(1, 12),
    st.lists(
        st.tuples(
            st.sampled_from(["take", "end", "cancel"]),
            st.integers(0, 30),
            st.sampled_from(["refused", "answered", "failed"]),
        ),
        max_size=60,
    ),
)
def test_limit_holds_whatever_happens(ceiling: int, moves: list[tuple[str, int, Ending]]) -> None:
    async def body() -> None:
        limit = ConcurrencyLimit(ceiling)
        tasks: list[asyncio.Task[Turn]] = []
        for what, which, how in moves:
            taken = [task for task in tasks if task.done()]
            waiting = [task for task in tasks if not task.done()]
            before = limit.limit
            if what == "take":
                tasks.append(asyncio.create_task(limit.take()))
            elif what == "end" and taken:
                task = taken[which % len(taken)]
                tasks.remove(task)
                end(limit, task.result(), how)
            elif what == "cancel" and waiting:
                task = waiting[which % len(waiting)]
                tasks.remove(task)
                task.cancel()
            await idle()
            granted = [task for task in tasks if task.done()]
            assert 1 <= limit.limit <= ceiling
            assert limit.under_way == len(granted)
            assert limit.limit <= before + 1
            if how != "refused":
                assert limit.limit >= before
            # No one waits while there is room, and no one was let in while there was none.
            if len(granted) < len(tasks):
                assert limit.limit < ceiling
                assert limit.under_way >= limit.limit
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    run(body())
