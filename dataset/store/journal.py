"""Group commit: the writes of many runs in flight, made durable together.

A write is posted from the event loop and executed by one thread on one connection. While a group is being committed
the next one gathers, so a commit is shared by whatever arrived in the meantime; nothing is told as done before its
group is committed. A write carries the lease it was made under, and one under a lease that is over is refused alone.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, Self

from sqlalchemy import Connection

from dataset.errors import GlassbenchError
from dataset.store.driver import driver_of, in_one_go
from dataset.store.errors import StoreError
from dataset.store.leases import Lease, StaleLeaseError, held_leases
from dataset.store.session import Database

LINGER_SECONDS = 0.012
"""How long a group waits for company; far below the 50 ms in which a person or a provider would notice."""


class Write(Protocol):
    """One thing to write. All writes of one kind in a group are executed by one call of `execute`."""

    @property
    def lease(self) -> Lease | None:
        """The lease it is made under; None for what needs none."""
        ...

    @property
    def source(self) -> str:
        """Whose write it is. Once one of a source is lost with its group, no later one of it is taken."""
        ...

    @classmethod
    def execute(cls, connection: Connection, writes: Sequence[Any]) -> Sequence[Any]:
        """A result or a GlassbenchError for each write, in their order; raising loses the whole group."""
        ...


class GroupWatch(Protocol):
    """Is told of groups, on the journal's thread, and must not wait."""

    def committing(self) -> None:
        """A group is about to be written and committed."""
        ...

    def committed(self, writes: int, seconds: float, *, kept: bool) -> None:
        """A group has ended after so long; `kept`: its commit was heard of."""
        ...


@dataclass(kw_only=True, slots=True, eq=False)
class Pending:
    """A posted write and, once its group has ended, what came of it."""

    write: Write
    source: str
    number: int
    done: Callable[[Pending], None] | None
    result: Any = None
    error: Exception | None = field(default=None)


class Loss(NamedTuple):
    """The first write of a source that was lost: its number, and why."""

    number: int
    error: Exception


class Barrier:
    """Writes nothing; it ends with the group of whatever was posted just before it."""

    lease = None

    @property
    def source(self) -> str:
        """None but itself."""
        return f"barrier {id(self)}"

    @classmethod
    def execute(cls, connection: Connection, writes: Sequence[Self]) -> list[None]:
        """Nothing for each."""
        return [None] * len(writes)


class JournalClosedError(StoreError):
    """The journal takes nothing any more."""

    code = "DB-JOURNAL-001"


class LostWriteError(StoreError):
    """An earlier write of the same source was lost, so a later one would leave a gap. `cause` is what lost it."""

    code = "DB-JOURNAL-002"

    def __init__(self, cause: Exception) -> None:
        super().__init__(f"a write was lost before: {cause}")
        self.cause = cause


class Journal:
    """Writes in groups. `order` lists the kinds of write in the order in which a group executes them.

    `notify` brings a call back to the caller's thread (an event loop's `call_soon_threadsafe`).
    """

    def __init__(
        self,
        database: Database,
        *,
        order: Sequence[type[Any]],
        notify: Callable[[Callable[[], None]], object],
        linger: float = LINGER_SECONDS,
        watch: GroupWatch | None = None,
    ) -> None:
        self._connection = database.held_connection()
        self._order: tuple[type[Any], ...] = (*order, Barrier)
        self._notify = notify
        self._linger = linger
        self._watch = watch
        self._waiting: list[Pending] = []
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._idle = False
        self._closing = False
        self._posted = 0
        self._lost: dict[str, Loss] = {}
        self.groups = 0
        self.written = 0
        self._thread = threading.Thread(target=self._work, name="glassbench-journal", daemon=True)
        self._thread.start()

    def post(self, write: Write, done: Callable[[Pending], None] | None = None) -> None:
        """Takes a write. `done` is called through `notify` when its group has ended, whichever way.

        LostWriteError where an earlier write of the same source was lost; JournalClosedError.
        """
        source = write.source
        with self._lock:
            if self._closing:
                raise JournalClosedError("the journal is closed")
            if lost := self._lost.get(source):
                raise LostWriteError(lost.error) from None
            self._posted += 1
            self._waiting.append(Pending(write=write, source=source, number=self._posted, done=done))
            if self._idle:
                self._changed.notify()

    def forget(self, source: str) -> None:
        """A source that will write no more."""
        with self._changed:
            self._lost.pop(source, None)

    def close(self) -> None:
        """Writes what is waiting and ends the thread."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join()

    def _work(self) -> None:
        while self._has_work():
            if self._linger and not self._closing:
                time.sleep(self._linger)
            with self._lock:
                group, self._waiting = self._waiting, []
            self._commit(group)
        self._connection.release()

    def _has_work(self) -> bool:
        """Waits until there is some; False where none will come any more."""
        if not self._waiting:
            self._connection.release()
        with self._lock:
            self._idle = True
            while not self._waiting and not self._closing:
                self._changed.wait()
            self._idle = False
            return bool(self._waiting)

    def _commit(self, group: list[Pending]) -> None:
        started, kept = time.monotonic(), True
        if self._watch is not None:
            self._watch.committing()
        try:
            with self._connection.transaction() as connection, in_one_go(driver_of(connection)):
                self._execute(connection, group)
        except Exception as error:
            kept = False
            self._lose(group, error)
        if self._watch is not None:
            self._watch.committed(len(group), time.monotonic() - started, kept=kept)
        self.groups += 1
        self.written += len(group)
        told = [pending for pending in group if pending.done is not None]
        if told:
            self._notify(lambda: _tell(told))

    def _execute(self, connection: Connection, group: list[Pending]) -> None:
        live = self._under_live_leases(connection, group)
        by_kind: dict[type[Any], list[Pending]] = defaultdict(list)
        for pending in live:
            by_kind[type(pending.write)].append(pending)
        for kind in self._order:
            if waiting := self._without_gaps(by_kind.pop(kind, [])):
                results = kind.execute(connection, [pending.write for pending in waiting])
                for pending, result in zip(waiting, results, strict=True):
                    self._end(pending, result)
        if by_kind:
            raise TypeError(f"the journal has no place for {next(iter(by_kind)).__name__}")

    def _without_gaps(self, waiting: list[Pending]) -> list[Pending]:
        """Those before which their source has lost nothing: in this group, or in the one under way at their post."""
        if not self._lost:
            return waiting
        standing = []
        for pending in waiting:
            with self._lock:
                lost = self._lost.get(pending.source)
            if lost is None or pending.number < lost.number:
                standing.append(pending)
            else:
                pending.error = LostWriteError(lost.error)
        return standing

    def _under_live_leases(self, connection: Connection, group: Iterable[Pending]) -> list[Pending]:
        """Those whose lease holds, which it then does until this transaction ends."""
        held = held_leases(connection, {p.write.lease for p in group if p.write.lease is not None})
        live = []
        for pending in group:
            lease = pending.write.lease
            if lease is None or lease in held:
                live.append(pending)
            else:
                self._end(pending, StaleLeaseError(lease))
        return live

    def _end(self, pending: Pending, result: Any) -> None:
        if isinstance(result, GlassbenchError):
            pending.error = result
            self._remember(pending, result)
        else:
            pending.result = result

    def _lose(self, group: Iterable[Pending], error: Exception) -> None:
        """Nobody knows whether a group whose commit failed stands: no later write of its sources may build on it."""
        for pending in group:
            pending.error, pending.result = error, None
            self._remember(pending, error)

    def _remember(self, pending: Pending, error: Exception) -> None:
        with self._lock:
            known = self._lost.get(pending.source)
            if known is None or pending.number < known.number:
                self._lost[pending.source] = Loss(pending.number, error)


def _tell(ended: Sequence[Pending]) -> None:
    for pending in ended:
        assert pending.done is not None
        pending.done(pending)
