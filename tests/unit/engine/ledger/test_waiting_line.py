from __future__ import annotations

import asyncio

from engine.ledger.waiting_line import WaitingLine


async def come(line: WaitingLine, name: str, woken: list[str], seconds: float = 60) -> None:
    await line.wait(seconds)
    woken.append(name)


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def test_whoever_waits_longest_is_woken_and_nobody_else() -> None:
    async def scene() -> list[str]:
        line, woken = WaitingLine(), list[str]()
        tasks = [asyncio.create_task(come(line, name, woken)) for name in "abc"]
        await settle()
        line.move_up()
        await settle()
        first = list(woken)
        line.move_up()
        line.move_up()
        await asyncio.gather(*tasks)
        return [*first, "|", *woken]

    assert asyncio.run(scene()) == ["a", "|", "a", "b", "c"]


def test_a_wait_ends_by_itself_and_leaves_the_line() -> None:
    async def scene() -> list[str]:
        line, woken = WaitingLine(), list[str]()
        await come(line, "first", woken, seconds=0)
        second = asyncio.create_task(come(line, "second", woken))
        await settle()
        line.move_up()
        await second
        return woken

    assert asyncio.run(scene()) == ["first", "second"]


def test_one_that_was_woken_and_cancelled_passes_its_turn_on() -> None:
    async def scene() -> list[str]:
        line, woken = WaitingLine(), list[str]()
        gone, stays = (asyncio.create_task(come(line, name, woken)) for name in ("gone", "stays"))
        await settle()
        line.move_up()
        gone.cancel()
        await asyncio.wait([stays], timeout=10)
        return woken

    assert asyncio.run(scene()) == ["stays"]


def test_nobody_in_line_is_no_fault() -> None:
    WaitingLine().move_up()
