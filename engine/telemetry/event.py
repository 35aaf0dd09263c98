"""One thing that happened in a run. Bodies are the very records that the artifact will hold."""

from __future__ import annotations

from typing import Literal, NamedTuple, Protocol

from dataset.canonical import Json, canonical_bytes
from dataset.record import Record

EventKind = Literal[
    "run_started", "context_built", "tools_loaded", "step", "check", "answer_guarded", "judged", "run_finished"
]


class Event(NamedTuple):
    """A numbered event; `body` is canonical JSON."""

    seq: int
    kind: EventKind
    body: bytes


class EventSink(Protocol):
    """Where a run tells what happens. Events keep their order."""

    def emit(self, kind: EventKind, body: Record | bytes | Json) -> None:
        """Takes one event, whose body may be canonical bytes; it is durable after the next flush."""
        ...

    async def flush(self) -> None:
        """Makes everything taken so far durable."""
        ...


def event_body(body: Record | bytes | Json) -> bytes:
    """The canonical bytes of an event's body."""
    if isinstance(body, Record):
        return body.canonical
    return body if isinstance(body, bytes) else canonical_bytes(body)
