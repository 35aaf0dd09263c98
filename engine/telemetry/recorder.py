"""The event sink of one attempt: keeps events in order and hands what is new to the journal at each flush."""

from __future__ import annotations

from dataset.canonical import Json
from dataset.record import Record, RunId
from dataset.store.leases import Lease
from dataset.store.run_writes import AppendEvents, BeginAttempt
from engine.telemetry.event import Event, EventKind, event_body
from engine.telemetry.journal import LoopJournal


class RunRecorder:
    """Every event of the attempt is in `events`. What is flushed is durable before any later write of the run is."""

    def __init__(self, journal: LoopJournal, lease: Lease, run_id: RunId, attempt: int) -> None:
        self._journal = journal
        self._lease = lease
        self._run_id = run_id
        self._attempt = attempt
        self._flushed = 0
        self.events: list[Event] = []

    def begin(self) -> None:
        """Makes this attempt the run's current one, in the group of its first events."""
        self._journal.post(BeginAttempt(lease=self._lease, run_id=self._run_id, attempt=self._attempt))

    def emit(self, kind: EventKind, body: Record | bytes | Json) -> None:
        """Takes one event; it is handed on at the next flush."""
        self.events.append(Event(seq=len(self.events) + 1, kind=kind, body=event_body(body)))

    async def flush(self) -> None:
        """Posts what is new. StoreError where an earlier write of this attempt was refused or lost."""
        new = tuple(self.events[self._flushed :])
        if new:
            self._journal.post(AppendEvents(lease=self._lease, run_id=self._run_id, attempt=self._attempt, events=new))
            self._flushed = len(self.events)
