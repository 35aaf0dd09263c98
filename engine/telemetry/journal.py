"""The journal as the event loop sees it: post and go on, or write and wait until it is durable."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from dataset.store.journal import Barrier, GroupWatch, Journal, Pending, Write
from dataset.store.session import Database


class LoopJournal:
    """One journal for one running event loop."""

    def __init__(self, database: Database, *, order: Sequence[type[Any]], watch: GroupWatch | None = None) -> None:
        self._loop = asyncio.get_running_loop()
        self._journal = Journal(database, order=order, notify=self._loop.call_soon_threadsafe, watch=watch)

    def post(self, write: Write) -> None:
        """Takes a write that nobody waits for. Where it is lost, the next write of its source says so."""
        self._journal.post(write)

    async def write(self, write: Write, *, once_kept: Callable[[], None] | None = None) -> Any:
        """The write's result, once it is durable; StoreError where it was refused or lost.

        `once_kept` is called when it is durable, whether or not anybody still waits for it.
        """
        ended: asyncio.Future[Any] = self._loop.create_future()

        def tell(pending: Pending) -> None:
            error = pending.error
            if error is None and once_kept is not None:
                try:
                    once_kept()
                except Exception as fault:  # it is the waiting one's, not that of others in the group
                    error = fault
            if ended.done():  # whoever waited was cancelled
                return
            if error is not None:
                ended.set_exception(error)
            else:
                ended.set_result(pending.result)

        self._journal.post(write, tell)
        return await ended

    async def settled(self) -> None:
        """Returns when everything that was posted so far has ended, whichever way."""
        barrier = Barrier()
        try:
            with suppress(Exception):  # the barrier itself is nothing that could be missed
                await self.write(barrier)
        finally:
            self.forget(barrier.source)

    def forget(self, source: str) -> None:
        """A source that will write no more."""
        self._journal.forget(source)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self._journal.close)
