"""`glassbench preview`, over a database and as a process that is served from and killed."""

from __future__ import annotations

import http.client
import re
import signal
import subprocess
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from dataset.home import HOME_VARIABLE
from dataset.store.session import DATABASE_URL_VARIABLE, Database
from publisher.cli.commands import mount
from tests.factories.command import Glassbench
from tests.factories.stored import new_batch, run_batch


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def command(bank_url: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> Glassbench:
    monkeypatch.setenv(DATABASE_URL_VARIABLE, bank_url)
    return Glassbench(home=home, database_url=bank_url)


def preview(*arguments: str | Path) -> Result:
    app = typer.Typer()
    mount(app, known_values=lambda _: {})
    return CliRunner().invoke(app, ["preview", *map(str, arguments)])


def test_a_finished_synthetic_batch_is_shown_and_registered_nowhere(
    bank: Database, command: Glassbench, home: Path, tmp_path: Path
) -> None:
    batch = new_batch(bank, home, "b1", template="tiny", models=["scripted-careful"])
    run_batch(bank, home, batch)
    told = command.json("preview", "b1", "--to", tmp_path / "seen")
    assert told["batches"] == [{"batch_id": "b1", "planned": 2, "shown": 2}]
    assert (told["left_out"], told["refused"]) == ([], [])
    front = (tmp_path / "seen/index.html").read_text()
    assert "NOT PUBLISHED." in front
    assert "Synthetic." in front
    assert command.json("release", "list") == []
    for refused in (
        ("verify", tmp_path / "seen"),
        ("publish", "b1", "--to", tmp_path / "seen"),
        ("site", "build", "--from", tmp_path / "seen", "--to", tmp_path / "site"),
        ("release", "list", "--from", tmp_path / "seen"),
    ):
        assert command.error(*refused)["code"] == "PREVIEW-GIVEN-001", refused
    said = command.run("preview", "b1", "--to", tmp_path / "seen").out
    assert "NOT published (no gate refuses it)" in said
    assert list((home / "preview").iterdir()) == []


def test_a_batch_that_is_under_way_is_refused_until_something_of_it_is_recorded(
    bank: Database, command: Glassbench, home: Path, tmp_path: Path
) -> None:
    new_batch(bank, home, "b2", template="tiny", models=["scripted-careful"])
    assert command.error("preview", "b2", "--to", tmp_path / "seen")["code"] == "PREVIEW-BATCH-002"
    assert command.error("preview", "b3", "--to", tmp_path / "seen")["code"] == "PREVIEW-BATCH-001"
    assert not (tmp_path / "seen").exists()


@pytest.mark.parametrize(
    "arguments", [("b1", "--json"), ("b1", "--to", "x", "--serve", "--json"), (), ("b1", "--port", "70000")]
)
def test_wrong_usage_is_told_before_anything_is_opened(home: Path, arguments: tuple[str, ...]) -> None:
    assert preview(*arguments).exit_code == 2
    assert not home.exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_without_a_place_it_is_served_to_this_machine_and_gone_when_that_ends(
    bank: Database, command: Glassbench, home: Path, number: signal.Signals
) -> None:
    run_batch(bank, home, new_batch(bank, home, "b4", template="tiny", models=["scripted-careful"]))
    process = command.start("preview", "b4", "--port", "0")
    try:
        port = announced(process)
        status, headers, body = ask(port, f"127.0.0.1:{port}")
        assert (status, headers["Cache-Control"]) == (200, "no-store")
        assert "noindex" in headers["X-Robots-Tag"]
        assert b"NOT PUBLISHED." in body
        status, _, body = ask(port, f"evil.example:{port}")
        assert (status, body) == (421, b"served to this machine alone\n")
        assert len(list((home / "preview").iterdir())) == 1
        process.send_signal(number)
        assert process.wait(60) == 130
    finally:
        process.kill()
        process.communicate()
    assert list((home / "preview").iterdir()) == []


def announced(process: subprocess.Popen[str]) -> int:
    assert process.stdout is not None
    for line in process.stdout:
        if found := re.search(r"http://127\.0\.0\.1:(\d+)/", line):
            return int(found[1])
    raise AssertionError("it ended without serving anything")


def ask(port: int, host: str) -> tuple[int, http.client.HTTPMessage, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", "/", headers={"Host": host})
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        connection.close()
