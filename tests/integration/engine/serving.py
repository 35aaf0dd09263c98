"""Slices served in the test's own process, with a provider that passes the ledger's gate and says what a test wants."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sqlalchemy import text

from dataset.errors import GlassbenchError
from dataset.record import BatchId
from dataset.store.batches import get_batch
from dataset.store.lifecycle import start_batch
from dataset.store.serving import take_slice
from dataset.store.session import Database
from engine.batches.batch_session import BatchSession
from engine.batches.batch_terms import frozen_terms
from engine.batches.composition import Composer
from engine.batches.held_slice import Held
from engine.batches.observer import Outcome
from engine.batches.slice_service import SliceService
from engine.batches.worker_process import WRITE_ORDER
from engine.batches.worker_tally import Tally
from engine.providers.credential import EnvironmentCredentials
from engine.providers.interface import AttemptGate, ModelReply, ModelRequest, ProviderError, TryOutcome
from engine.providers.registry import ModelRegistry
from engine.telemetry.assembly import Sealed
from engine.telemetry.clock import SharedClock
from engine.telemetry.journal import LoopJournal
from tests.factories.loop import says

Answer = Callable[[ModelRequest], ModelReply | Exception]


def cannot_say(request: ModelRequest) -> ModelReply:
    """An answer that ends a run in one step."""
    return says("I can't say.")


class GatedProvider:
    """Passes the gate of every try as a real one does. While `open` is clear, whoever asks waits for the answer."""

    def __init__(self, answer: Answer = cannot_say) -> None:
        self._answer = answer
        self.open = asyncio.Event()
        self.open.set()
        self.asked: list[str] = []
        self._came = asyncio.Condition()

    async def complete(self, request: ModelRequest, gate: AttemptGate) -> ModelReply:
        """What the test's function says."""
        await gate.admit()
        told: TryOutcome | None = None
        try:
            await gate.sending()
            async with self._came:
                self.asked.append(request.origin.run_id)
                self._came.notify_all()
            await self.open.wait()
            said = self._answer(request)
            if isinstance(said, ProviderError):
                told = TryOutcome(code=said.error_code)
            if isinstance(said, Exception):
                raise said
            told = TryOutcome(usage=said.usage)
        finally:
            gate.settle(told)
        return said

    async def until_asked(self, count: int) -> None:
        """Returns when so many calls have come."""
        async with self._came:
            await asyncio.wait_for(self._came.wait_for(lambda: len(self.asked) >= count), 60)

    async def close(self) -> None:
        """Nothing to end."""


class Told:
    """An observer that keeps what it is told."""

    def __init__(self) -> None:
        self.runs: list[Sealed] = []
        self.outcomes: list[tuple[BatchId, Outcome]] = []
        self.faults: list[GlassbenchError] = []
        self.over: list[BatchId] = []
        self.expired = 0

    def recorded(self, batch_id: BatchId, sealed: Sealed) -> None:
        """Keeps it."""
        self.runs.append(sealed)

    def served(self, batch_id: BatchId, outcome: Outcome) -> None:
        """Keeps it."""
        self.outcomes.append((batch_id, outcome))

    def swept(self, expired: int, released: int, settled: int) -> None:
        """Counts leases taken away."""
        self.expired += expired

    def fault(self, error: GlassbenchError, batch_id: BatchId | None) -> None:
        """Keeps it."""
        self.faults.append(error)

    def ended(self, batch_id: BatchId) -> None:
        """Keeps it."""
        self.over.append(batch_id)


@dataclass(frozen=True, kw_only=True)
class Desk:
    """A worker's parts without its loop: a test hands the slices out."""

    database: Database
    service: SliceService
    told: Told
    owner: str

    async def take(self, batch_id: BatchId, *, seconds: float = 60) -> Held | None:
        """A slice under lease; None where there is none."""
        work = await asyncio.to_thread(take_slice, self.database, batch_id, self.owner, lease_seconds=seconds)
        return None if work is None else Held(work=work, wish=work.control.wish, reason=work.control.reason)

    def begin(self, held: Held, stop: asyncio.Event | None = None) -> asyncio.Task[None]:
        """Starts to serve a slice."""
        held.task = asyncio.create_task(self.service.serve(held, stop or asyncio.Event()))
        return held.task

    async def serve(self, batch_id: BatchId) -> Outcome | None:
        """Serves the next slice; how that ended, None where there is none."""
        held = await self.take(batch_id)
        if held is None:
            return None
        await self.begin(held)
        return self.told.outcomes[-1][1]

    async def serve_all(self, batch_id: BatchId) -> list[Outcome]:
        """Serves slices until there is none to be had, waiting for no back-off; how each ended."""
        found = []
        while (outcome := await self.serve(batch_id)) is not None:
            found.append(outcome)
            await asyncio.to_thread(make_due, self.database)
        return found


@asynccontextmanager
async def open_desk(
    database: Database,
    home: Path,
    provider: GatedProvider | None = None,
    *,
    owner: str = "w1",
    change: Callable[[BatchSession], BatchSession] = lambda session: session,
) -> AsyncIterator[Desk]:
    """A desk whose models are all `provider`, or the scripted ones where none is given."""
    composer = Composer(
        database=database,
        registry=ModelRegistry.load(home),
        credentials=EnvironmentCredentials({}),
        clock=SharedClock(database.now()),
    )

    def compose(batch_id: BatchId, asking: bool) -> BatchSession:
        session = composer.open(batch_id, asking)
        if provider is not None:
            session = with_providers(session, provider)
        return change(session)

    told = Told()
    async with LoopJournal(database, order=WRITE_ORDER) as journal:
        service = SliceService(database=database, journal=journal, compose=compose, observer=told, tally=Tally())
        yield Desk(database=database, service=service, told=told, owner=owner)
        await service.close()


def with_providers(session: BatchSession, provider: GatedProvider) -> BatchSession:
    """The session with one provider for each of its models."""
    providers = dict.fromkeys(session.providers, provider)
    return replace(session, providers=providers, executor=replace(session.executor, providers=providers))


def at_once(session: BatchSession, most: int) -> BatchSession:
    """The session with so many runs of a model in flight."""
    return replace(
        session,
        concurrency=dict.fromkeys(session.concurrency, most),
        turns={key: asyncio.Semaphore(most) for key in session.turns},
    )


def start(database: Database, batch_id: BatchId) -> None:
    """Wants a batch to run, in slices as its policy says."""
    row, terms = get_batch(database, batch_id), frozen_terms(database, batch_id)
    keys = [model.key for model in row.definition.models]
    start_batch(database, batch_id, quantum=terms.policy.quantum, model_keys=keys)


def make_due(database: Database) -> None:
    """Ends every back-off."""
    with database.transaction() as connection:
        connection.execute(text("UPDATE slice SET not_before = NULL WHERE not_before IS NOT NULL"))


def one_value(database: Database, statement: str, **values: Any) -> Any:
    """The one value that a statement finds."""
    with database.transaction() as connection:
        return connection.execute(text(statement), values).scalar_one()


def codes(runs: Iterable[Sealed]) -> list[str | None]:
    """The error codes of recorded runs."""
    return [run.result.error.code if run.result.error else None for run in runs]
