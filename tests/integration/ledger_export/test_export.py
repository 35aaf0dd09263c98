"""Exports of a real database: everything in it, from one moment, whole or not at all."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from dataset.store.attempt import Scope
from dataset.store.audit import AuditEvent, record_event_apart
from dataset.store.audit_export import AuditDamagedError, Selection, snapshot
from dataset.store.execution_tables import audit_event, provider_attempt
from dataset.store.session import Database
from engine.audit.check import check_export
from engine.audit.export import ExportTargetError, fresh_directory, write_export
from engine.audit.lines import AttemptLine, EventLine, Manifest
from tests.factories.command import Glassbench
from tests.integration.store.ledger_book import admit, ask, end, force, open_book, send, totals


def tell(database: Database, number: int, **changes: Any) -> None:
    values: dict[str, Any] = {
        "key": f"batch_started:{number}", "kind": "batch_started", "subject": "b1", "payload": {"n": number},
        "retention": "operational", **changes,
    }  # fmt: skip
    record_event_apart(database, AuditEvent(**values))


def export(database: Database, target: Path, **selection: Any) -> Manifest:
    with fresh_directory(target) as directory, snapshot(database) as taken:
        return write_export(directory, taken, Selection(**selection))


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line)["record"] for line in path.read_text().splitlines()]


@pytest.fixture
def book(database: Database) -> Database:
    """A ledger with an attempt in each state."""
    open_book(database)
    reserved, sent, actual, unknown, released = admit(database, *(ask(number) for number in range(1, 6)))
    send(database, sent, actual, unknown)
    end(database, actual, input_tokens=90, output_tokens=40, cost=Decimal("0.4"), charge=Decimal("0.4"), status=200)
    end(database, unknown, code="outcome_unknown")
    end(database, released, code="never_sent")
    assert reserved.call_key == "call-00001"
    tell(database, 1)
    return database


def test_a_line_has_every_column_of_its_table() -> None:
    assert set(AttemptLine.model_fields) == {column.name for column in provider_attempt.columns}
    events = {column.name for column in audit_event.columns}
    assert set(EventLine.model_fields) == events - {"event_key"} | {"key"}


def test_an_export_of_every_state_verifies_and_its_totals_are_the_ledgers(book: Database, tmp_path: Path) -> None:
    manifest = export(book, tmp_path / "out")
    found = check_export(tmp_path / "out")
    assert (found.faults, found.attempts) == ([], 5)
    assert {record["state"] for record in records(tmp_path / "out" / "attempts.jsonl")} == {
        *("reserved", "send_started", "settled_actual", "settled_conservative", "released_pre_send")
    }
    assert manifest.totals is not None
    for total in manifest.totals:
        kept = totals(book, Scope(total.kind, total.key))
        assert (total.active, total.requests, total.tokens, total.reserved_tokens) == kept[:4]
        assert (Decimal(total.charge), Decimal(total.reserved_charge)) == kept[4:6]


def test_only_the_owner_may_read_an_export(book: Database, tmp_path: Path) -> None:
    export(book, tmp_path / "out")
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / "out").iterdir()} == {0o600}


def test_what_is_chosen_is_what_is_exported(book: Database, tmp_path: Path) -> None:
    tell(book, 2, subject="another", kind="batch_paused")
    force(book, "UPDATE audit_event SET occurred_at = '2020-01-01' WHERE event_key = 'batch_started:1'")
    force(
        book,
        "UPDATE provider_attempt SET minute = '2020-01-01', reserved_at = '2020-01-01' WHERE call_key = 'call-00001'",
    )
    chosen: dict[str, dict[str, Any]] = {
        "young": {"since": datetime(2021, 1, 1, tzinfo=UTC)},
        "kind": {"kinds": ("batch_paused",)},
        "batch": {"batch": "b1"},
    }
    for name, selection in chosen.items():
        export(book, tmp_path / name, **selection)
        assert check_export(tmp_path / name).faults == []
    keys = {name: [r["key"] for r in records(tmp_path / name / "events.jsonl")] for name in ("young", "kind", "batch")}
    assert "batch_started:1" not in keys["young"]
    assert "batch_started:2" in keys["young"]
    assert keys["kind"] == ["batch_started:2"]
    assert "batch_started:2" not in keys["batch"]
    assert not (tmp_path / "kind" / "attempts.jsonl").exists()
    assert len(records(tmp_path / "young" / "attempts.jsonl")) == 4
    assert len(records(tmp_path / "batch" / "attempts.jsonl")) == 5


def test_what_is_written_meanwhile_is_not_seen(book: Database, tmp_path: Path) -> None:
    with fresh_directory(tmp_path / "out") as directory, snapshot(book) as taken:
        tell(book, 2)
        admit(book, ask(9))
        write_export(directory, taken, Selection())
    assert check_export(tmp_path / "out").attempts == 5
    assert "batch_started:2" not in [record["key"] for record in records(tmp_path / "out" / "events.jsonl")]


@pytest.mark.parametrize("payload", ['{"n":2}', '{ "n":1}', "x"])
def test_an_event_that_was_changed_in_the_database_stops_the_export(
    book: Database, tmp_path: Path, payload: str
) -> None:
    stored = f"decode('{payload.encode().hex()}', 'hex')"
    force(book, f"UPDATE audit_event SET payload = {stored} WHERE event_key = 'batch_started:1'")
    with pytest.raises(AuditDamagedError):
        export(book, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("there", ["file", "empty directory", "dangling link"])
def test_what_is_there_is_never_written_over(database: Database, tmp_path: Path, there: str) -> None:
    target = tmp_path / "out"
    if there == "file":
        target.write_text("mine")
    elif there == "empty directory":
        target.mkdir()
    else:
        target.symlink_to(tmp_path / "nowhere")
    with pytest.raises(ExportTargetError):
        export(database, target)
    assert {path.name for path in tmp_path.iterdir()} == {"out"}


def test_two_exports_to_one_place_do_not_mix(database: Database, tmp_path: Path) -> None:
    with fresh_directory(tmp_path / "out"), pytest.raises(ExportTargetError, match="another export"):
        export(database, tmp_path / "out")


def fill(database: Database, rows: int) -> None:
    with database.transaction() as connection:
        connection.execute(
            text(
                "INSERT INTO audit_event (event_key, kind, subject, payload, payload_hash, retention, expires_at)"
                " SELECT 'k' || n, 'batch_started', 'b1', p, encode(sha256(p), 'hex'), 'operational',"
                " clock_timestamp() + interval '91 days'"
                " FROM generate_series(1, :rows) n, convert_to('{\"n\":' || n || '}', 'UTF8') p"
            ),
            {"rows": rows},
        )
        connection.execute(
            text(
                "INSERT INTO provider_attempt (call_key, ordinal, batch_id, provider, model_key, policy_hash,"
                " request_digest, minute) SELECT 'c' || n, 1, 'b1', 'cloud', 'small', (SELECT hash FROM policy),"
                " repeat('ab', 32), date_trunc('minute', clock_timestamp()) FROM generate_series(1, :rows) n"
            ),
            {"rows": rows},
        )


@pytest.mark.slow
def test_memory_does_not_grow_with_the_rows(database: Database, tmp_path: Path) -> None:
    open_book(database)
    peaks = []
    for position, rows in enumerate((2_000, 20_000)):
        if position:
            force(database, "DELETE FROM audit_event", "DELETE FROM provider_attempt")
        fill(database, rows)
        tracemalloc.start()
        export(database, tmp_path / str(rows))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert check_export(tmp_path / "20000").faults == []
    assert peaks[1] < 1.5 * peaks[0]


@pytest.fixture
def command(database_url: str, tmp_path: Path) -> Glassbench:
    return Glassbench(home=tmp_path, database_url=database_url)


def test_the_commands_export_and_verify(book: Database, command: Glassbench, tmp_path: Path) -> None:
    told = command.json("ledger", "export", "--to", tmp_path / "out")
    assert told["attempts"] == 5
    offline = Glassbench(home=tmp_path, database_url="postgresql://nobody@127.0.0.1:1/none")
    assert offline.json("ledger", "verify", tmp_path / "out")["fault_count"] == 0
    path = tmp_path / "out" / "attempts.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"actual_charge":"0.4"', b'"actual_charge":"0.3"'))
    found = offline.json("ledger", "verify", tmp_path / "out", code=5)
    assert {"file": "attempts.jsonl", "line": 3} in [{k: f[k] for k in ("file", "line")} for f in found["faults"]]
    assert "attempts.jsonl:3: " in offline.run("ledger", "verify", tmp_path / "out", code=5).out
    assert command.error("ledger", "export", "--to", tmp_path / "out")["code"] == "EXPORT-TARGET-001"
    assert command.error("ledger", "export", "--to", tmp_path / "x", "--kind", "party")["code"] == "EXPORT-KIND-001"
    assert command.error("ledger", "export", "--to", tmp_path / "x", "--batch", "b9")["code"] == "BATCH-UNKNOWN-001"
    assert offline.error("ledger", "verify", tmp_path / "x")["code"] == "EXPORT-MISSING-001"
    assert not (tmp_path / "x").exists()


_EXPORTER = """
import sys
from pathlib import Path
from dataset.store.audit_export import Selection, snapshot
from dataset.store.session import connect
from engine.audit.export import fresh_directory, write_export
with connect(sys.argv[1]) as database:
    print("ready", flush=True)
    with fresh_directory(Path(sys.argv[2])) as directory, snapshot(database) as taken:
        write_export(directory, taken, Selection())
"""


def _partial_bytes(directory: Path) -> Iterator[int]:
    return (path.stat().st_size for path in directory.iterdir())


def test_an_export_killed_midway_leaves_no_target_and_the_next_one_clears_up(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    open_book(database)
    fill(database, 20_000)
    process = subprocess.Popen([sys.executable, "-c", _EXPORTER, database_url, str(tmp_path / "out")], env=os.environ)
    partial = tmp_path / ".out.partial"
    while process.poll() is None and not (partial.is_dir() and sum(_partial_bytes(partial)) > 100_000):
        time.sleep(0.001)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL, "the export ended before it could be killed"
    assert not (tmp_path / "out").exists()
    export(database, tmp_path / "out")
    assert check_export(tmp_path / "out").faults == []
    assert {path.name for path in tmp_path.iterdir()} == {"out"}
