"""The preflight of one start of a batch: looked up, shown and confirmed, then one canary for each model that may cost.

Every start repeats it and leaves an audit event for each model: whatever let a batch go on is on record.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from dataset.canonical import Json
from dataset.errors import GlassbenchError
from dataset.record import BatchId
from dataset.store.audit import AuditEvent, AuditKind, record_event_apart
from dataset.store.lifecycle import pause_batch
from dataset.store.preflights import close_lost_canaries, next_canary
from dataset.store.session import Database
from engine.batches.worker_process import WRITE_ORDER
from engine.ledger.account import Account
from engine.ledger.terms import Terms
from engine.preflight.canary import Canary, send_canary
from engine.preflight.errors import one_error
from engine.preflight.look_up import LookedUp, look_up
from engine.preflight.subject import Subject
from engine.telemetry.clock import SharedClock
from engine.telemetry.journal import LoopJournal

WRONG_MODEL = frozenset({"PREFLIGHT-MODEL-001", "PREFLIGHT-MODEL-002", "PREFLIGHT-KEY-001"})
"""Failures that say that what answers isn't what the batch measures: one that is being served is paused for them."""
MARGIN_SECONDS = 60
"""Beyond the longest call, before a canary without an end is taken for lost."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Passed:
    """A model that may be asked. `canary` is None where none was sent: it costs nothing, or the budget is used up."""

    looked_up: LookedUp
    canary: Canary | None


@dataclass(frozen=True, kw_only=True)
class Preflight:
    """The two steps before a batch is started; between them its owner sees what it may take and confirms."""

    database: Database
    batch_id: BatchId
    subjects: tuple[Subject, ...]

    def look_up(self) -> list[LookedUp]:
        """How each model stands in its server's list; nothing that costs is asked.

        PreflightError for every model at once that may not be asked; an audit event tells of each.
        """
        found = asyncio.run(look_up(self.subjects))
        faults: list[GlassbenchError] = []
        for subject, outcome in zip(self.subjects, found, strict=True):
            if isinstance(outcome, GlassbenchError):
                faults.append(outcome)
                self._failed(subject, outcome, stage="discovery", number=next_canary(self.database))
        if faults:
            raise one_error(faults)
        return [outcome for outcome in found if isinstance(outcome, LookedUp)]

    def send_canaries(self, found: Sequence[LookedUp], terms: Terms, *, begun: bool) -> list[Passed]:
        """What each model that may cost answered, one after the other; the first that fails ends it.

        `begun`: the batch has runs behind it, and may be started for its end alone. As `send_canary` raises.
        """
        longest = max((subject.entry.timeout_seconds.total for subject in self.subjects), default=0)
        close_lost_canaries(self.database, timedelta(seconds=longest + MARGIN_SECONDS))
        return asyncio.run(self._send(found, terms, begun=begun))

    async def _send(self, found: Sequence[LookedUp], terms: Terms, *, begun: bool) -> list[Passed]:
        clock = SharedClock(await asyncio.to_thread(self.database.now))
        passed = []
        async with LoopJournal(self.database, order=WRITE_ORDER) as journal:
            for looked_up in found:
                subject, canary = looked_up.subject, None
                number = await asyncio.to_thread(next_canary, self.database)
                if subject.paid:
                    account = Account(
                        batch_id=self.batch_id, model=subject.frozen, terms=terms, clock=clock, role="canary"
                    )
                    try:
                        canary = await send_canary(subject, account, journal, number=number, may_be_spent=begun)
                    except GlassbenchError as error:
                        self._failed(subject, error, stage="canary", number=number)
                        raise
                self._passed(looked_up, canary, number)
                passed.append(Passed(looked_up=looked_up, canary=canary))
        return passed

    def _passed(self, found: LookedUp, canary: Canary | None, number: int) -> None:
        payload: dict[str, Json] = {"model": found.subject.entry.key, "listed": found.listed, "canary": None}
        if canary is not None:
            payload["canary"] = {
                "call": canary.call_key,
                "returned": canary.returned,
                "input_tokens": canary.usage.input_tokens,
                "output_tokens": canary.usage.output_tokens,
                "latency_ms": canary.latency_ms,
            }
        self._record("preflight_passed", payload, number)

    def _failed(self, subject: Subject, error: GlassbenchError, *, stage: str, number: int) -> None:
        self._record("preflight_failed", {"model": subject.entry.key, "stage": stage, "code": error.code}, number)
        if error.code in WRONG_MODEL:  # workers elsewhere may be asking it this moment
            pause_batch(self.database, self.batch_id, reason=error.code, detail=error.message)

    def _record(self, kind: AuditKind, payload: Json, number: int) -> None:
        event = AuditEvent(
            key=f"{kind}/{self.batch_id}/{number}",
            kind=kind,
            subject=self.batch_id,
            payload=payload,
            retention="operational",
        )
        record_event_apart(self.database, event)
