"""The three modes of `batch run` that start nothing: no socket is opened, no row is written."""

from __future__ import annotations

import hashlib
import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from dataset.errors import GlassbenchError
from dataset.record import BatchId
from dataset.store.batches import get_batch
from dataset.store.session import Database
from engine.cli.batch_modes import NOTHING, Mode, run_mode
from engine.cli.root import app
from tests.factories.model_server import model_entry
from tests.factories.stored import ground, new_batch

KEY = "sk-" + "test" * 3 + "Zq9x" * 4
MODES: tuple[Mode, ...] = ("validate-only", "estimate", "dry-run")


@pytest.fixture
def batch_id(bank: Database, home: Path) -> BatchId:
    """A batch of a paid model far away."""
    settings = {"credential_env": "FAR_KEY", "model_id_status": "verified"}
    (home / "models.toml").write_text(model_entry("far", "https://llm.example/v1", **settings))
    return new_batch(bank, home, "b1", template="tiny", models=["far"])


@contextmanager
def no_network(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No name is looked up and no connection made but by libpq, to PostgreSQL, which Python's sockets don't serve."""

    def refuse(*given: object, **named: object) -> None:
        raise AssertionError(f"the network was used: {given} {named}")

    with monkeypatch.context() as patch:
        for name in ("connect", "connect_ex", "sendto"):
            patch.setattr(socket.socket, name, refuse)
        for name in ("getaddrinfo", "create_connection"):
            patch.setattr(socket, name, refuse)
        yield


def whole_database(bank: Database) -> dict[str, str]:
    """A digest of every table, and where every sequence stands."""
    with bank.transaction() as connection:
        driver: Any = connection.connection.driver_connection
        tables = [row[0] for row in driver.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")]
        found = {}
        for table in tables:
            rows = sorted(str(row) for row in driver.execute(f'SELECT t::text FROM "{table}" t').fetchall())
            found[table] = hashlib.sha256("\n".join(rows).encode()).hexdigest()
        sequences = driver.execute("SELECT sequencename, last_value::text FROM pg_sequences").fetchall()
    assert len(found) > 20
    return {**found, **dict(sequences)}


@pytest.mark.parametrize("mode", MODES)
def test_a_mode_opens_no_socket_and_writes_nothing(
    bank: Database,
    home: Path,
    batch_id: BatchId,
    mode: Mode,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    before, files = whole_database(bank), sorted(home.rglob("*"))
    with no_network(monkeypatch):
        run_mode(ground(bank, home, {"FAR_KEY": KEY}), get_batch(bank, batch_id), mode, as_json=False)
    assert whole_database(bank) == before
    assert sorted(home.rglob("*")) == files
    out = capsys.readouterr().out
    assert f"valid: {batch_id}, 2 of 2 runs missing; {NOTHING}" in out
    assert ("model calls" in out, "SYNTHETIC" in out) == (mode == "estimate", mode == "dry-run")


def test_the_network_of_these_tests_is_really_shut(monkeypatch: pytest.MonkeyPatch) -> None:
    with no_network(monkeypatch), pytest.raises(AssertionError, match="the network was used"):
        socket.create_connection(("127.0.0.1", 1))


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_finds_what_forbids_the_batch(bank: Database, home: Path, batch_id: BatchId, mode: Mode) -> None:
    row = get_batch(bank, batch_id)
    with pytest.raises(GlassbenchError) as missing:
        run_mode(ground(bank, home), row, mode, as_json=False)
    assert missing.value.code == "MODEL-CRED-001"
    with pytest.raises(GlassbenchError) as unusable:
        run_mode(ground(bank, home, {"FAR_KEY": "short"}), row, mode, as_json=False)
    assert unusable.value.code == "MODEL-CRED-002"
    (home / "models.toml").write_text(model_entry("far", "https://llm.example/v1", credential_env="FAR_KEY"))
    with pytest.raises(GlassbenchError) as unverified:
        run_mode(ground(bank, home, {"FAR_KEY": KEY}), row, mode, as_json=False)
    assert unverified.value.code == "PREFLIGHT-UNVERIFIED-001"
    (home / "models.toml").write_text(model_entry("far", "https://llm.example/v1", model_id="far-2"))
    with pytest.raises(GlassbenchError) as changed:
        run_mode(ground(bank, home), row, mode, as_json=False)
    assert changed.value.code == "BATCH-MODEL-001"


def test_a_dry_run_does_every_run_with_the_script_that_knows_most_cases(
    bank: Database, home: Path, batch_id: BatchId, capsys: pytest.CaptureFixture[str]
) -> None:
    run_mode(ground(bank, home, {"FAR_KEY": KEY}), get_batch(bank, batch_id), "dry-run", as_json=True)
    told = json.loads(capsys.readouterr().out)
    assert told["synthetic"] == [{"model": "far", "style": "careful", "verdicts": {"pass": 2}, "faults": {}}]
    assert (told["missing"], told["mode"], told["valid"]) == (2, "dry-run", True)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--estimate", "--dry-run"], "only one of --validate-only, --estimate, --dry-run at a time"),
        (["--validate-only", "--yes"], "'--validate-only' starts nothing"),
        (["--dry-run", "--detach"], "'--dry-run' starts nothing"),
    ],
)
def test_modes_exclude_each_other_and_whatever_starts_a_batch(options: list[str], words: str) -> None:
    ended = CliRunner().invoke(app, ["batch", "run", "b1", *options])
    assert ended.exit_code == 2
    assert words in " ".join(ended.output.split())
