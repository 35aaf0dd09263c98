from __future__ import annotations

import random
import threading
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from sqlalchemy import text

from dataset.artifacts.artifact import Verdict
from dataset.artifacts.definition import planned_runs
from dataset.canonical import canonical_bytes, sha256_hex
from dataset.record import BatchId, RunId
from dataset.store.bank import import_pack
from dataset.store.batch_definition import BatchHashError
from dataset.store.batches import (
    BacklogFullError,
    BatchCounts,
    BatchExistsError,
    BatchRow,
    StoredTerms,
    UnknownBatchError,
    UnreadableBatch,
    batch_counts,
    create_batch,
    freeze_terms,
    get_batch,
    list_batches,
)
from dataset.store.errors import StoreError
from dataset.store.planned import close_batch, missing_runs
from dataset.store.releases import ReleaseRow, list_releases, register_release
from dataset.store.run_writes import AppendEvents, BeginAttempt
from dataset.store.runs import (
    EventRow,
    StaleAttemptError,
    UnknownRunError,
    artifact_bytes,
    events,
    iterate_artifacts,
)
from dataset.store.session import Database
from tests.factories.recording import NO_LEASE, append_events, artifact_write, begin_attempt, execute, record_artifact
from tests.integration.store.packs import CREATED, audit_kinds, make_pack, make_planned, start_batch

FIRST, SECOND = RunId("b1-0001"), RunId("b1-0002")
VERDICTS: tuple[Verdict, ...] = ("pass", "fail", "invalid")
LATER = datetime(2026, 1, 2, 4, 0, 0, 250_000, tzinfo=UTC)


def terms(content: bytes = b"{}", *, backlog: int = 100) -> StoredTerms:
    return StoredTerms(content=content, hash=sha256_hex(content), backlog=backlog)


def close(database: Database, batch_id: BatchId) -> bool:
    with database.transaction() as connection:
        return close_batch(connection, batch_id)


def test_batch_comes_back_as_it_was_frozen(database: Database) -> None:
    batch_id = start_batch(database)
    definition = make_planned(make_pack())
    row = get_batch(database, batch_id)
    assert row.definition == definition
    assert row.definition_hash == definition.digest()
    assert (row.created_at, row.finished_at) == (CREATED, None)
    assert row.counts == BatchCounts(planned=6, recorded=0, passed=0, failed=0, invalid=0)
    assert missing_runs(database, batch_id) == list(planned_runs(definition, batch_id))


def test_batch_of_ten_thousand_runs_is_planned_whole(database: Database) -> None:
    pack = make_pack(repeats=100)
    import_pack(database, pack)
    definition = make_planned(pack)
    for number in range(17):
        create_batch(database, BatchId(f"b{number}"), definition, CREATED)
    assert sum(row.counts.planned for row in list_batches(database)) == 17 * 600
    assert [run.position for run in missing_runs(database, BatchId("b3"))] == list(range(1, 601))


def test_time_of_another_zone_is_given_back_in_utc(database: Database) -> None:
    pack = make_pack()
    import_pack(database, pack)
    create_batch(database, BatchId("b"), make_planned(pack), CREATED.astimezone(timezone(timedelta(hours=8))))
    found = get_batch(database, BatchId("b")).created_at
    assert found == CREATED
    assert found.utcoffset() == timedelta(0)


def test_batches_are_listed_newest_first(database: Database) -> None:
    start_batch(database, "older")
    create_batch(database, BatchId("newer"), make_planned(make_pack()), LATER)
    assert [row.id for row in list_batches(database)] == ["newer", "older"]


def test_taken_batch_id_is_refused_and_the_first_stays(database: Database) -> None:
    batch_id = start_batch(database)
    with pytest.raises(BatchExistsError, match="b1"):
        create_batch(database, batch_id, make_planned(make_pack()), LATER)
    row = get_batch(database, batch_id)
    assert (row.created_at, row.counts.planned) == (CREATED, 6)


def test_batch_over_a_pack_that_was_never_imported_is_refused(database: Database) -> None:
    with pytest.raises(StoreError, match="pack sample@1 was never imported") as caught:
        create_batch(database, BatchId("b1"), make_planned(make_pack()), CREATED)
    assert caught.value.code == "BATCH-PACK-001"


def test_batch_over_another_pack_of_the_same_version_is_refused(database: Database) -> None:
    import_pack(database, make_pack())
    with pytest.raises(StoreError, match="was imported with hash"):
        create_batch(database, BatchId("b1"), make_planned(make_pack(note="other")), CREATED)
    assert list_batches(database) == []


def test_unknown_batch_names_the_closest_and_the_command(database: Database) -> None:
    start_batch(database, "finance-2026")
    with pytest.raises(UnknownBatchError, match="the closest are: finance-2026") as caught:
        get_batch(database, BatchId("finance-2025"))
    assert caught.value.hint == "see `glassbench batch list`"
    with pytest.raises(UnknownBatchError):
        batch_counts(database, BatchId("nothing"))


@pytest.mark.parametrize("batch_id", ["a\x00b", "a\ud800b"])
def test_text_that_postgresql_cant_hold_is_a_clear_error(database: Database, batch_id: str) -> None:
    with pytest.raises(StoreError) as caught:
        get_batch(database, BatchId(batch_id))
    assert caught.value.code == "DB-TEXT-001"


def test_changed_definition_is_refused(database: Database) -> None:
    batch_id = start_batch(database)
    with database.transaction() as connection:
        connection.execute(text("UPDATE batch SET definition = set_byte(definition, 9, 65)"))
    with pytest.raises(BatchHashError, match="batch b1"):
        get_batch(database, batch_id)


@pytest.mark.parametrize(
    ("code", "hint"),
    [
        ({"version": "0.0.3", "commit": None}, "use version 0.0.3, which created it"),
        ({"version": "0.0.3", "commit": "abc"}, "use version 0.0.3 (commit abc), which created it"),
        ({"version": 3}, "it doesn't say which version created it"),
    ],
)
def test_batch_of_another_version_is_listed_as_unreadable_and_hides_no_other(
    database: Database, code: dict[str, object], hint: str
) -> None:
    start_batch(database, "old")
    create_batch(database, BatchId("new"), make_planned(make_pack()), LATER)
    foreign = canonical_bytes({"shape": "of another day", "code": code})
    with database.transaction() as connection:
        connection.execute(
            text("UPDATE batch SET definition = :data, definition_hash = :hash WHERE id = 'old'"),
            {"data": foreign, "hash": sha256_hex(foreign)},
        )

    new, old = list_batches(database)

    assert isinstance(new, BatchRow)
    assert isinstance(old, UnreadableBatch)
    assert (new.id, old.id, old.created_at, old.counts.planned) == ("new", "old", CREATED, 6)
    assert (old.fault.code, old.fault.hint) == ("BATCH-HASH-001", hint)
    with pytest.raises(BatchHashError, match="can't be read by this version"):
        get_batch(database, BatchId("old"))


def test_changed_definition_is_listed_as_unreadable(database: Database) -> None:
    start_batch(database)
    with database.transaction() as connection:
        connection.execute(text("UPDATE batch SET definition = set_byte(definition, 9, 65)"))
    [row] = list_batches(database)
    assert isinstance(row, UnreadableBatch)
    assert "restore the database" in row.fault.hint


def test_attempts_count_from_one(database: Database) -> None:
    start_batch(database)
    assert [begin_attempt(database, FIRST) for _ in range(3)] == [1, 2, 3]


def test_events_come_back_in_order_of_attempt_and_number(database: Database) -> None:
    start_batch(database)
    begin_attempt(database, FIRST)
    append_events(
        database, FIRST, 1, [EventRow(seq=2, kind="b", body=b"\x00\xff"), EventRow(seq=1, kind="a", body=b"1")]
    )
    begin_attempt(database, FIRST)
    append_events(database, FIRST, 2, [EventRow(seq=1, kind="c", body=b"3")])
    append_events(database, FIRST, 2, [])
    assert [(e.attempt, e.seq, e.kind, e.body) for e in events(database, FIRST)] == [
        (1, 1, "a", b"1"),
        (1, 2, "b", b"\x00\xff"),
        (2, 1, "c", b"3"),
    ]
    assert [e.kind for e in events(database, FIRST, attempt=1)] == ["a", "b"]
    assert [e.kind for e in events(database, FIRST, after=(1, 1))] == ["b", "c"]
    assert events(database, FIRST, attempt=1, after=(1, 2)) == []


def test_an_attempt_begins_only_after_the_one_before_it(database: Database) -> None:
    start_batch(database)
    second, first, again = (BeginAttempt(lease=NO_LEASE, run_id=FIRST, attempt=n) for n in (2, 1, 1))
    results = [execute(database, write)[0] for write in (second, first, again)]
    assert [getattr(result, "code", None) for result in results] == ["RUN-STALE-001", None, "RUN-STALE-001"]


def test_of_attempts_begun_together_each_is_judged_by_itself(database: Database) -> None:
    start_batch(database)
    begin_attempt(database, FIRST)
    stale, fresh, ghost = (
        BeginAttempt(lease=NO_LEASE, run_id=RunId(run_id), attempt=1) for run_id in (FIRST, "b1-0002", "b1-9999")
    )
    results = execute(database, stale, fresh, ghost)
    assert [type(result) for result in results] == [StaleAttemptError, type(None), StaleAttemptError]


def test_the_artifact_of_an_attempt_that_was_replaced_is_refused_and_its_neighbour_recorded(
    database: Database,
) -> None:
    start_batch(database)
    old, new = begin_attempt(database, FIRST), begin_attempt(database, FIRST)
    other = begin_attempt(database, SECOND)
    stale, recorded = execute(database, artifact_write(FIRST, old), artifact_write(SECOND, other))
    assert isinstance(stale, StaleAttemptError)
    assert "attempt 1 was replaced by attempt 2" in stale.message
    assert recorded is True
    assert artifact_bytes(database, FIRST) is None
    assert execute(database, artifact_write(FIRST, new)) == [True]


def wait_for_blocked(database: Database, number: int) -> None:
    here = "pid IN (SELECT pid FROM pg_stat_activity WHERE datname = current_database())"
    blocked = text(f"SELECT count(*), pg_sleep(0.02) FROM pg_locks WHERE NOT granted AND {here}")
    while True:  # a transaction each: the list of sessions is frozen within one
        with database.transaction() as connection:
            if connection.execute(blocked).scalar_one() >= number:
                return


def test_new_attempt_waits_for_an_artifact_under_way(database: Database) -> None:
    """Otherwise an artifact of the old attempt could appear after the new one has begun."""
    start_batch(database)
    begin_attempt(database, FIRST)
    written: list[Any] = []
    with database.transaction() as connection:
        connection.execute(text("LOCK TABLE artifact IN EXCLUSIVE MODE"))
        writer = threading.Thread(target=lambda: written.extend(execute(database, artifact_write(FIRST, 1))))
        writer.start()
        wait_for_blocked(database, 1)
        successor = threading.Thread(target=lambda: written.append(begin_attempt(database, FIRST)))
        successor.start()
        wait_for_blocked(database, 2)
        assert written == []
    writer.join()
    successor.join()
    assert sorted(written) == [True, 2]


def test_two_events_with_one_number_are_refused_with_everything_beside_them(database: Database) -> None:
    start_batch(database)
    begin_attempt(database, FIRST)
    twice = (EventRow(seq=1, kind="a", body=b"row content"), EventRow(seq=1, kind="a", body=b"row content"))
    beside = AppendEvents(lease=NO_LEASE, run_id=SECOND, attempt=1, events=(EventRow(seq=1, kind="a", body=b""),))
    with pytest.raises(StoreError, match="pk_event") as caught:
        execute(database, beside, AppendEvents(lease=NO_LEASE, run_id=FIRST, attempt=1, events=twice))
    assert caught.value.code == "DB-CONSTRAINT-001"
    assert FIRST not in str(caught.value)
    assert "row content" not in str(caught.value)
    assert events(database, FIRST) == events(database, SECOND) == []


def test_unknown_run_is_named_when_read_and_refused_when_written(database: Database) -> None:
    start_batch(database)
    ghost = RunId("ghost-0001")
    for ask in (events, artifact_bytes):
        with pytest.raises(UnknownRunError, match="ghost-0001"):
            ask(database, ghost)
    [begun], [recorded] = (
        execute(database, BeginAttempt(lease=NO_LEASE, run_id=ghost, attempt=1)),
        execute(database, artifact_write(ghost, 1)),
    )
    assert isinstance(begun, StaleAttemptError)
    assert isinstance(recorded, StaleAttemptError)
    with pytest.raises(StoreError, match="fk_event_run"):
        append_events(database, ghost, 1, [EventRow(seq=1, kind="a", body=b"")])


def test_artifact_is_recorded_exactly_once(database: Database) -> None:
    start_batch(database)
    assert artifact_bytes(database, FIRST) is None
    attempt = begin_attempt(database, FIRST)
    assert execute(database, artifact_write(FIRST, attempt, b"first")) == [True]
    assert execute(database, artifact_write(FIRST, attempt, b"second")) == [False]
    assert not record_artifact(database, FIRST, b"third")
    assert artifact_bytes(database, FIRST) == b"first"


def test_of_many_writers_one_records(database: Database) -> None:
    start_batch(database)
    attempt = begin_attempt(database, FIRST)
    won: list[bool] = []
    writes = [artifact_write(FIRST, attempt, b"%d" % n) for n in range(8)]
    threads = [threading.Thread(target=lambda w=w: won.extend(execute(database, w))) for w in writes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(won) == [False] * 7 + [True]


@pytest.mark.parametrize(
    "statement", ["UPDATE artifact SET verdict = 'fail'", "DELETE FROM artifact", "TRUNCATE artifact"]
)
def test_recorded_artifact_can_be_neither_changed_nor_removed(database: Database, statement: str) -> None:
    start_batch(database)
    record_artifact(database, FIRST, b"data")
    with pytest.raises(StoreError, match="artifact_is_written_once"), database.transaction() as connection:
        connection.execute(text(statement))
    assert artifact_bytes(database, FIRST) == b"data"


def test_artifact_bytes_are_stored_uncompressed(database: Database) -> None:
    start_batch(database)
    record_artifact(database, FIRST, b"a" * 50_000)
    with database.transaction() as connection:
        size = connection.execute(text("SELECT pg_column_size(bytes) FROM artifact")).scalar_one()
        compression = connection.execute(text("SELECT pg_column_compression(bytes) FROM artifact")).scalar_one()
    assert size == 50_000
    assert compression is None


def test_artifacts_stream_by_position_whatever_the_order_of_recording(database: Database) -> None:
    batch_id = start_batch(database, repeats=30)
    runs = [run.run_id for run in missing_runs(database, batch_id)]
    assert len(runs) == 180
    for run_id in random.Random(7).sample(runs, len(runs)):
        record_artifact(database, run_id, canonical_bytes({"run": run_id}))
    found = list(iterate_artifacts(database, batch_id))
    assert [run_id for run_id, _, _ in found] == runs
    assert all(
        data == canonical_bytes({"run": run_id}) and digest == sha256_hex(data) for run_id, digest, data in found
    )


def test_batch_is_finished_only_when_no_run_is_missing_and_the_first_time_counts(database: Database) -> None:
    batch_id = start_batch(database)
    *most, last = [run.run_id for run in missing_runs(database, batch_id)]
    for number, run_id in enumerate(most):
        record_artifact(database, run_id, verdict=VERDICTS[number % 3])
    assert not close(database, batch_id)
    assert get_batch(database, batch_id).finished_at is None
    assert [run.run_id for run in missing_runs(database, batch_id)] == [last]
    record_artifact(database, last)
    before = database.now()
    assert close(database, batch_id)
    row = get_batch(database, batch_id)
    assert row.finished_at is not None
    assert before <= row.finished_at <= database.now()
    assert not close(database, batch_id)
    assert get_batch(database, batch_id) == row
    assert row.counts == BatchCounts(planned=6, recorded=6, passed=3, failed=2, invalid=1)


def test_a_batch_beyond_the_backlog_is_refused_and_that_is_told(database: Database) -> None:
    import_pack(database, make_pack())
    definition = make_planned(make_pack())
    for name in ("one", "two"):
        create_batch(database, BatchId(name), definition, CREATED, terms=terms(backlog=2))
    with pytest.raises(BacklogFullError, match="2 batches are unfinished, and the policy allows 2"):
        create_batch(database, BatchId("three"), definition, CREATED, terms=terms(backlog=2))
    assert {row.id for row in list_batches(database)} == {"one", "two"}
    assert audit_kinds(database, "three") == ["batch_refused"]
    for run in missing_runs(database, BatchId("one")):
        record_artifact(database, run.run_id)
    close(database, BatchId("one"))
    create_batch(database, BatchId("three"), definition, CREATED, terms=terms(backlog=2))
    assert audit_kinds(database, "three") == ["batch_refused", "batch_admitted"]


def test_of_batches_created_at_once_no_more_than_the_backlog_stand(database: Database) -> None:
    import_pack(database, make_pack())
    definition = make_planned(make_pack())
    refused: list[str] = []

    def create(name: str) -> None:
        try:
            create_batch(database, BatchId(name), definition, CREATED, terms=terms(backlog=3))
        except BacklogFullError:
            refused.append(name)

    threads = [threading.Thread(target=create, args=(f"b{n}",)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(list_batches(database)), len(refused)) == (3, 5)


def test_terms_are_frozen_once_and_a_change_behind_our_back_is_refused(database: Database) -> None:
    batch_id = start_batch(database)
    assert get_batch(database, batch_id).terms is None
    freeze_terms(database, batch_id, terms(b'{"a":1}'))
    freeze_terms(database, batch_id, terms(b'{"a":2}'))
    assert get_batch(database, batch_id).terms == b'{"a":1}'
    with database.transaction() as connection:
        connection.execute(text("UPDATE batch SET terms = :other"), {"other": b'{"a":3}'})
    with pytest.raises(BatchHashError, match="its terms don't have the hash"):
        get_batch(database, batch_id)


def test_release_is_registered_once_a_digest(database: Database) -> None:
    def row(digest: str, days: int) -> ReleaseRow:
        return ReleaseRow(
            digest=digest,
            batch_ids=(BatchId("b1"), BatchId("b2")),
            target_name="showcase-data",
            run_count=40,
            published_at=LATER + timedelta(days=days),
            number=days + 1,
            revised_ids=(BatchId("b3"),),
            signed_by=("example.org/bench",),
        )

    assert register_release(database, row("a" * 64, 0))
    assert not register_release(database, row("a" * 64, 5))
    assert register_release(database, row("b" * 64, 1))
    assert list_releases(database) == [row("b" * 64, 1), row("a" * 64, 0)]
