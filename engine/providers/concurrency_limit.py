"""How many calls of one model may be under way after its server has said "too many" (additive increase,
multiplicative decrease, as in TCP: Chiu and Jain 1989)."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Turn:
    """The right to make one try, and the number of decreases before it was given."""

    decreases: int


class ConcurrencyLimit:
    """Starts at the ceiling. Each refusal halves it, each full round of answers gives one back; never below 1.

    Here waits, without a time limit, what a refusal took away: that is a passing shortage, no fault of a run. At the
    ceiling nothing waits here: how many connections there can be is the pool's business, which times its waits.
    """

    def __init__(self, ceiling: int) -> None:
        if ceiling < 1:
            raise ValueError("a ceiling below 1 would never let a call through")
        self._ceiling = ceiling
        self._limit = float(ceiling)
        self._under_way = 0
        self._decreases = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def limit(self) -> int:
        """How many calls may be under way now."""
        return int(self._limit)

    @property
    def under_way(self) -> int:
        """How many turns are taken."""
        return self._under_way

    async def take(self) -> Turn:
        """A turn; give it back with `give_back`. First come, first served."""
        if self._waiting or not self._has_room():
            future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(future)
            try:
                await future
            except asyncio.CancelledError:
                self._withdraw(future)
                raise
        else:
            self._under_way += 1
        return Turn(self._decreases)

    def give_back(self, turn: Turn, *, refused: bool, answered: bool) -> None:
        """Ends a turn. `refused`: the server said 429. `answered`: it gave what was asked for.

        Of the calls that were under way together when the server refused, only the first halves the limit: they all
        tell of the same moment.
        """
        self._under_way -= 1
        if refused and turn.decreases == self._decreases:
            self._limit = float(max(1, self.limit // 2))
            self._decreases += 1
        elif answered:
            self._limit = min(float(self._ceiling), self._limit + 1 / self.limit)
        self._admit()

    def _has_room(self) -> bool:
        return self.limit >= self._ceiling or self._under_way < self.limit

    def _admit(self) -> None:
        while self._waiting and self._has_room():
            future = self._waiting.popleft()
            if not future.done():
                self._under_way += 1
                future.set_result(None)

    def _withdraw(self, future: asyncio.Future[None]) -> None:
        if future.done() and not future.cancelled():  # the turn came in the moment of the cancellation
            self._under_way -= 1
        elif future in self._waiting:
            self._waiting.remove(future)
        self._admit()
