"""Where calls of one worker wait out a shortage: the first in line asks again as soon as another call has ended."""

from __future__ import annotations

import asyncio
from collections import deque


class WaitingLine:
    """First come, first woken. What other workers set free is found by asking again after a while."""

    def __init__(self) -> None:
        self._line: deque[asyncio.Future[None]] = deque()

    async def wait(self, seconds: float) -> None:
        """Returns when it is one's turn to ask again, after so many seconds at the latest."""
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._line.append(place)
        try:
            await asyncio.wait([place], timeout=seconds)
        except asyncio.CancelledError:
            if place.done():  # woken and gone at once: the next in line has the turn
                self.move_up()
            raise
        finally:
            if not place.done():
                self._line.remove(place)

    def move_up(self) -> None:
        """Something was set free: whoever waits longest asks again."""
        while self._line:
            place = self._line.popleft()
            if not place.done():
                place.set_result(None)
                return
