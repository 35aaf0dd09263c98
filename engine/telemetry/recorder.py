"""The event sink of one attempt: keeps events in order and appends them to PostgreSQL at each flush."""

from __future__ import annotations

import asyncio

from dataset.canonical import Json
from dataset.record import Record, RunId
from dataset.store.runs import EventRow, append_events
from dataset.store.session import Database
from engine.telemetry.event import Event, EventKind, event_body


class RunRecorder:
    """Every event of the attempt is in `events`; those up to the last flush are durable."""

    def __init__(self, database: Database, run_id: RunId, attempt: int) -> None:
        self._database = database
        self._run_id = run_id
        self._attempt = attempt
        self._flushed = 0
        self.events: list[Event] = []

    def emit(self, kind: EventKind, body: Record | Json) -> None:
        """Takes one event; it is durable after the next flush."""
        self.events.append(Event(seq=len(self.events) + 1, kind=kind, body=event_body(body)))

    async def flush(self) -> None:
        """Appends what is new; StaleAttemptError where a later attempt has taken the run over."""
        rows = [EventRow(seq=e.seq, kind=e.kind, body=e.body) for e in self.events[self._flushed :]]
        if rows:
            await asyncio.to_thread(append_events, self._database, self._run_id, self._attempt, rows)
            self._flushed = len(self.events)
