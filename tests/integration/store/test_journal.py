"""Group commit: what is told is durable, what is refused is refused alone, what is lost leaves no gap."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest
from sqlalchemy import Connection, text

from dataset.canonical import sha256_hex
from dataset.errors import GlassbenchError
from dataset.record import RunId
from dataset.store.errors import StoreError
from dataset.store.journal import Journal, JournalClosedError, LostWriteError, Pending
from dataset.store.leases import Lease, StaleLeaseError, take_away_expired
from dataset.store.run_writes import AppendEvents, BeginAttempt, RecordArtifact
from dataset.store.runs import EventRow, artifact_bytes, events
from dataset.store.session import Database
from tests.factories.recording import artifact_write
from tests.integration.store.packs import start_served, take

FIRST, SECOND = RunId("b1-0001"), RunId("b1-0002")


@dataclass(frozen=True, kw_only=True)
class Note:
    """A write of a test: a table of its own, what it returns, whether it breaks; while `gate` is closed it waits."""

    source: str
    number: int = 0
    answer: Any = None
    breaks: str | None = None
    lease: Lease | None = None
    gate: ClassVar[threading.Event] = threading.Event()
    under_way: ClassVar[threading.Event] = threading.Event()

    @classmethod
    def execute(cls, connection: Connection, writes: Sequence[Note]) -> list[Any]:
        for write in writes:
            connection.execute(text("INSERT INTO note VALUES (:source, :number)"), write.__dict__)
        cls.under_way.set()
        assert cls.gate.wait(60)
        for write in writes:
            if write.breaks:
                connection.execute(text(write.breaks))
        return [write.answer for write in writes]


class RefusedError(GlassbenchError):
    code = "X-1"


class Told:
    """What came of writes, in the order in which it was told."""

    def __init__(self) -> None:
        self._ended: queue.Queue[Pending] = queue.Queue()

    def __call__(self, pending: Pending) -> None:
        self._ended.put(pending)

    def next(self) -> Pending:
        return self._ended.get(timeout=60)

    @property
    def nothing(self) -> bool:
        return self._ended.empty()


@pytest.fixture(autouse=True)
def _open_gate() -> None:
    Note.gate.set()
    Note.under_way.clear()


@contextmanager
def opened(database: Database, *, linger: float = 0) -> Iterator[Journal]:
    with database.transaction() as connection:
        connection.execute(text("CREATE TABLE IF NOT EXISTS note (source text, number int)"))
    order = (Note, BeginAttempt, AppendEvents, RecordArtifact)
    journal = Journal(database, order=order, notify=lambda tell: tell(), linger=linger)
    try:
        yield journal
    finally:
        Note.gate.set()
        journal.close()


def notes(database: Database) -> list[int]:
    with database.transaction() as connection:
        return list(connection.execute(text("SELECT number FROM note ORDER BY number")).scalars())


def hold_a_group(journal: Journal) -> None:
    """Returns when a group is being written and can't end."""
    Note.gate.clear()
    journal.post(Note(source="holder"))
    assert Note.under_way.wait(60)


def events_write(lease: Lease, run_id: RunId = FIRST, seq: int = 1) -> AppendEvents:
    return AppendEvents(lease=lease, run_id=run_id, attempt=1, events=(EventRow(seq=seq, kind="a", body=b"x"),))


def test_what_arrives_while_a_group_is_committed_shares_the_next_commit(database: Database) -> None:
    told = Told()
    with opened(database) as journal:
        hold_a_group(journal)
        for number in range(1, 101):
            journal.post(Note(source=f"s{number}", number=number, answer=number), told)
        Note.gate.set()
        assert [told.next().result for _ in range(100)] == list(range(1, 101))
        assert (journal.groups, journal.written) == (2, 101)
    assert notes(database) == list(range(101))


def test_nothing_is_told_before_its_group_is_committed(database: Database) -> None:
    told = Told()
    with opened(database) as journal:
        Note.gate.clear()
        journal.post(Note(source="s", number=1), told)
        assert Note.under_way.wait(60)
        assert notes(database) == []
        assert told.nothing
        Note.gate.set()
        assert told.next().error is None
        assert notes(database) == [1]


def test_a_connection_killed_in_the_middle_of_a_group_loses_it_whole_and_says_so(database: Database) -> None:
    told = Told()
    with opened(database) as journal:
        Note.gate.clear()
        journal.post(Note(source="asked", number=1), told)
        assert Note.under_way.wait(60)
        with database.transaction() as connection:
            kill = "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = current_database()"
            others = "pid <> pg_backend_pid() AND xact_start IS NOT NULL"
            assert list(connection.execute(text(f"{kill} AND {others}")).scalars()) == [True]
        journal.post(Note(source="later", number=2), told)
        journal.post(Note(source="asked", number=5), told)
        Note.gate.set()
        lost, kept, gap = told.next(), told.next(), told.next()
        assert lost.result is None
        assert isinstance(lost.error, StoreError)
        assert lost.error.code == "DB-CONN-002"
        assert kept.error is None
        assert isinstance(gap.error, LostWriteError), "posted before anybody knew, and yet it would leave a gap"
        with pytest.raises(LostWriteError) as caught:
            journal.post(Note(source="asked", number=3))
        assert caught.value.cause is lost.error
        assert caught.value.code == "DB-JOURNAL-002"
        journal.post(Note(source="later", number=4), told)
        assert told.next().error is None
    assert notes(database) == [2, 4]


def test_a_source_that_is_forgotten_may_begin_anew(database: Database) -> None:
    told = Told()
    with opened(database) as journal:
        journal.post(Note(source="s", number=1, breaks="SELECT 1 / 0"), told)
        assert told.next().error is not None
        with pytest.raises(LostWriteError):
            journal.post(Note(source="s", number=2))
        journal.forget("s")
        journal.post(Note(source="s", number=3), told)
        assert told.next().error is None
    assert notes(database) == [3]


def test_a_group_with_a_write_that_the_database_refuses_is_lost_as_a_whole_for_every_source_in_it(
    database: Database,
) -> None:
    """Whoever is in it is told, and nobody is told anything that doesn't stand."""
    told = Told()
    with opened(database) as journal:
        hold_a_group(journal)
        journal.post(Note(source="good", number=1), told)
        journal.post(Note(source="bad", number=2, breaks="SELECT 1 / 0"), told)
        Note.gate.set()
        assert [type(told.next().error) for _ in range(2)] == [StoreError, StoreError]
        for source in ("good", "bad"):
            with pytest.raises(LostWriteError):
                journal.post(Note(source=source))
    assert notes(database) == [0]


def test_an_answer_that_is_an_error_is_its_writes_alone_and_poisons_its_source_alone(database: Database) -> None:
    told = Told()
    with opened(database) as journal:
        hold_a_group(journal)
        journal.post(Note(source="refused", number=1, answer=RefusedError("no")), told)
        journal.post(Note(source="taken", number=2, answer="yes"), told)
        Note.gate.set()
        refused, taken = told.next(), told.next()
        assert isinstance(refused.error, RefusedError)
        assert (taken.error, taken.result) == (None, "yes")
        with pytest.raises(LostWriteError, match="no"):
            journal.post(Note(source="refused"))
        journal.post(Note(source="taken", number=3), told)
        assert told.next().error is None


def test_a_write_under_a_lease_that_is_over_is_refused_alone_while_the_others_of_its_group_are_committed(
    database: Database,
) -> None:
    start_served(database, quantum=1)
    stale, live, told = take(database, seconds=0).lease, take(database).lease, Told()
    with opened(database) as journal:
        hold_a_group(journal)
        journal.post(BeginAttempt(lease=stale, run_id=FIRST, attempt=1), told)
        journal.post(BeginAttempt(lease=live, run_id=SECOND, attempt=1), told)
        journal.post(events_write(stale, FIRST))
        journal.post(events_write(live, SECOND))
        journal.post(artifact_write(SECOND, 1, b"kept", lease=live), told)
        Note.gate.set()
        refused, begun, recorded = told.next(), told.next(), told.next()
        assert isinstance(refused.error, StaleLeaseError)
        assert refused.error.code == "LEASE-STALE-001"
        assert (begun.error, recorded.error, recorded.result) == (None, None, True)
        with pytest.raises(LostWriteError) as caught:
            journal.post(artifact_write(FIRST, 1, lease=stale))
        assert isinstance(caught.value.cause, StaleLeaseError)
        assert journal.groups == 2
    assert events(database, FIRST) == []
    assert [e.kind for e in events(database, SECOND)] == ["a"]
    assert (artifact_bytes(database, FIRST), artifact_bytes(database, SECOND)) == (None, b"kept")


def test_what_was_posted_before_a_write_that_is_refused_stands_and_what_came_after_it_does_not(
    database: Database,
) -> None:
    """A try is settled whoever has the slice by then, although the events posted after it are refused."""
    start_served(database, quantum=1)
    stale, told = take(database, seconds=0).lease, Told()
    with opened(database) as journal:
        hold_a_group(journal)
        source = events_write(stale).source
        journal.post(Note(source=source, number=1), told)
        journal.post(events_write(stale), told)
        journal.post(Note(source=source, number=2), told)
        Note.gate.set()
        assert [type(told.next().error) for _ in range(3)] == [type(None), StaleLeaseError, LostWriteError]
    assert notes(database) == [0, 1]


def test_a_worker_whose_slice_was_taken_over_writes_nothing_more(database: Database) -> None:
    start_served(database, quantum=6)
    old, told = take(database).lease, Told()
    with opened(database) as journal:
        journal.post(BeginAttempt(lease=old, run_id=FIRST, attempt=1), told)
        assert told.next().error is None
        with database.transaction() as connection:
            take_away_expired(connection, ["w1"])
            connection.execute(text("UPDATE slice SET not_before = NULL"))
        new = take(database, owner="w2").lease
        journal.post(artifact_write(FIRST, 1, b"old", lease=old), told)
        assert isinstance(told.next().error, StaleLeaseError)
        journal.post(BeginAttempt(lease=new, run_id=FIRST, attempt=2), told)
        journal.post(artifact_write(FIRST, 2, b"new", lease=new), told)
        assert [told.next().error, told.next().error] == [None, None]
    assert artifact_bytes(database, FIRST) == b"new"


def test_kinds_are_executed_in_the_order_given_whatever_the_order_of_arrival(database: Database) -> None:
    start_served(database, quantum=6)
    lease, told = take(database).lease, Told()
    with opened(database) as journal:
        hold_a_group(journal)
        journal.post(artifact_write(FIRST, 1, b"data", lease=lease), told)
        journal.post(events_write(lease))
        journal.post(BeginAttempt(lease=lease, run_id=FIRST, attempt=1))
        Note.gate.set()
        assert told.next().result is True
    assert artifact_bytes(database, FIRST) == b"data"


def test_a_kind_without_a_place_is_a_fault_of_ours_and_loses_its_group(database: Database) -> None:
    @dataclass(frozen=True, kw_only=True)
    class Stray(Note):
        pass

    told = Told()
    with opened(database) as journal:
        hold_a_group(journal)
        journal.post(Note(source="s", number=1), told)
        journal.post(Stray(source="t", number=2), told)
        Note.gate.set()
        for _ in range(2):
            assert isinstance(told.next().error, TypeError)
    assert notes(database) == [0]


def test_closing_writes_what_is_waiting_and_takes_nothing_more(database: Database) -> None:
    with opened(database, linger=0.2) as journal:
        for number in range(5):
            journal.post(Note(source="s", number=number))
        journal.close()
        assert notes(database) == [0, 1, 2, 3, 4]
        with pytest.raises(JournalClosedError) as caught:
            journal.post(Note(source="s"))
        assert caught.value.code == "DB-JOURNAL-001"


def test_a_write_of_large_bytes_arrives_as_it_is(database: Database) -> None:
    start_served(database, quantum=6)
    lease, told, data = take(database).lease, Told(), bytes(range(256)) * 4096
    with opened(database) as journal:
        journal.post(BeginAttempt(lease=lease, run_id=FIRST, attempt=1))
        event = EventRow(seq=1, kind="step", body=data)
        journal.post(AppendEvents(lease=lease, run_id=FIRST, attempt=1, events=(event,)))
        journal.post(artifact_write(FIRST, 1, data, lease=lease), told)
        assert told.next().result is True
    assert sha256_hex(artifact_bytes(database, FIRST) or b"") == sha256_hex(data)
    assert [e.body for e in events(database, FIRST)] == [data]
