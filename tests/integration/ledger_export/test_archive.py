"""Archives: checked before they are registered, registered before anything is deleted, and exact in what goes."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text

from dataset.store.audit_export import ArchiveStaleError
from dataset.store.session import Database
from engine.audit import archive as archiving
from engine.audit.archive import Archived, ArchiveFaultyError, archive_expired
from engine.audit.check import Checked, check_export
from tests.factories.command import Glassbench


def tell(database: Database, *numbers: int, days: int, retention: str = "operational") -> None:
    """Events of so many days ago."""
    keep = 90 if retention == "operational" else 365
    with database.transaction() as connection:
        for number in numbers:
            connection.execute(
                text(
                    "INSERT INTO audit_event (event_key, kind, subject, payload, payload_hash, retention, occurred_at,"
                    " expires_at) SELECT 'k' || CAST(:n AS int), 'batch_started', 'b1', p, encode(sha256(p), 'hex'),"
                    " :retention, moment, moment + make_interval(hours => 24 * :keep) FROM"
                    " convert_to('{\"n\":' || CAST(:n AS int) || '}', 'UTF8') p,"
                    " (SELECT clock_timestamp() - make_interval(hours => 24 * :days) AS moment) m"
                ),
                {"n": number, "days": days, "retention": retention, "keep": keep},
            )


def keys(database: Database) -> list[str]:
    with database.transaction() as connection:
        found = connection.execute(text("SELECT event_key FROM audit_event ORDER BY number")).scalars()
        return [key for key in found if key.startswith("k")]


def kinds(database: Database) -> list[str]:
    with database.transaction() as connection:
        return list(connection.execute(text("SELECT kind FROM audit_event WHERE retention = 'security'")).scalars())


def archives(database: Database) -> int:
    with database.transaction() as connection:
        return int(connection.execute(text("SELECT count(*) FROM audit_archive")).scalar_one())


def archived(database: Database, target: Path, *, delete: bool) -> Archived:
    done = archive_expired(database, target, delete=delete)
    assert done is not None
    return done


@pytest.fixture
def aged(database: Database) -> Database:
    """Events 1, 3 and 5 have expired; 2 is kept longer, 4 is young."""
    tell(database, 1, days=100)
    tell(database, 2, days=100, retention="security")
    tell(database, 3, days=91)
    tell(database, 4, days=89)
    tell(database, 5, days=400, retention="security")
    return database


def test_expired_events_are_archived_and_kept_until_deletion_is_asked_for(aged: Database, tmp_path: Path) -> None:
    done = archived(aged, tmp_path / "first", delete=False)
    assert (done.archive.events, done.deleted) == (3, False)
    assert keys(aged) == ["k1", "k2", "k3", "k4", "k5"]
    again = archived(aged, tmp_path / "second", delete=True)
    assert again.archive == done.archive
    assert keys(aged) == ["k2", "k4"]
    assert check_export(tmp_path / "first").faults == check_export(tmp_path / "second").faults == []
    assert archives(aged) == 1
    assert kinds(aged).count("audit_archived") == kinds(aged).count("audit_deleted") == 1


def test_what_has_not_expired_stands_even_between_archived_numbers(aged: Database, tmp_path: Path) -> None:
    archive_expired(aged, tmp_path / "out", delete=True)
    assert archive_expired(aged, tmp_path / "next", delete=True) is None
    assert keys(aged) == ["k2", "k4"]
    assert {path.name for path in tmp_path.iterdir()} == {"out"}


def test_an_archive_that_is_not_what_was_read_registers_and_deletes_nothing(
    aged: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def damaged(directory: Path) -> Checked:
        path = directory / "events.jsonl"
        path.write_bytes(path.read_bytes()[:-20])
        return check_export(directory)

    monkeypatch.setattr(archiving, "check_export", damaged)
    with pytest.raises(ArchiveFaultyError):
        archive_expired(aged, tmp_path / "out", delete=True)
    assert (len(keys(aged)), archives(aged), list(tmp_path.iterdir())) == (5, 0, [])


def test_an_end_between_writing_and_registering_loses_nothing(
    aged: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(archiving, "register_archive", dies)
        with pytest.raises(KeyboardInterrupt):
            archive_expired(aged, tmp_path / "out", delete=True)
    assert (len(keys(aged)), archives(aged)) == (5, 0)
    assert check_export(tmp_path / "out").faults == []
    archive_expired(aged, tmp_path / "next", delete=True)
    assert keys(aged) == ["k2", "k4"]


def test_an_end_in_the_middle_of_deleting_deletes_nothing(
    aged: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = archiving._held

    def dies(directory: Path) -> Iterator[tuple[int, str]]:
        for count, event in enumerate(held(directory)):
            if count == 2:
                raise KeyboardInterrupt
            yield event

    with monkeypatch.context() as patched:
        patched.setattr(archiving, "_held", dies)
        with pytest.raises(KeyboardInterrupt):
            archive_expired(aged, tmp_path / "out", delete=True)
    assert (len(keys(aged)), archives(aged), kinds(aged)) == (5, 0, ["batch_started", "batch_started"])


@pytest.mark.parametrize("wrong", ["hash", "gone"])
def test_an_event_that_differs_from_the_archives_stops_the_deletion(
    aged: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: str
) -> None:
    held = archiving._held

    def other(directory: Path) -> list[tuple[int, str]]:
        (number, digest), *rest = held(directory)
        return [(number, "0" * 64) if wrong == "hash" else (number + 10_000, digest), *rest]

    monkeypatch.setattr(archiving, "_held", other)
    with pytest.raises(ArchiveStaleError):
        archive_expired(aged, tmp_path / "out", delete=True)
    assert (len(keys(aged)), archives(aged)) == (5, 0)


def test_more_events_than_one_portion_go_at_once(database: Database, tmp_path: Path) -> None:
    tell(database, *range(2_500), days=100)
    assert archived(database, tmp_path / "out", delete=True).archive.events == 2_500
    assert keys(database) == []


def test_the_command_archives_and_deletes(aged: Database, database_url: str, tmp_path: Path) -> None:
    command = Glassbench(home=tmp_path, database_url=database_url)
    assert "kept in the database" in command.run("ledger", "archive", "--to", tmp_path / "kept").out
    assert command.json("ledger", "archive", "--to", tmp_path / "gone", "--delete")["deleted"] is True
    assert keys(aged) == ["k2", "k4"]
    assert command.json("ledger", "verify", tmp_path / "gone")["events"] == 3
    assert command.json("ledger", "archive", "--to", tmp_path / "none")["events"] == 0
    assert "nothing has expired" in command.run("ledger", "archive", "--to", tmp_path / "none").out
    assert not (tmp_path / "none").exists()


_ARCHIVER = """
import sys
from pathlib import Path
from dataset.store.session import connect
from engine.audit.archive import archive_expired
with connect(sys.argv[1]) as database:
    print("ready", flush=True)
    archive_expired(database, Path(sys.argv[2]), delete=True)
"""


@pytest.mark.parametrize("trial", range(3))
def test_an_archiver_killed_at_any_moment_loses_no_event(
    database: Database, database_url: str, tmp_path: Path, trial: int
) -> None:
    tell(database, *range(1_500), days=100)
    process = subprocess.Popen(
        [sys.executable, "-c", _ARCHIVER, database_url, str(tmp_path / "out")], stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(0.04 * trial)
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    if (tmp_path / "out").exists():
        assert check_export(tmp_path / "out").faults == []
    else:
        assert len(keys(database)) == 1_500
    assert len(keys(database)) in (0, 1_500)
    if keys(database):
        archive_expired(database, tmp_path / "next", delete=True)
    assert keys(database) == []
