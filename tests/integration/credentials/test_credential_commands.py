"""The commands as an owner types them: a key goes in through a prompt or a pipe, and never comes out."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from pathlib import Path

import pytest
from sqlalchemy import text
from typer.testing import CliRunner, Result

from dataset.errors import GlassbenchError
from dataset.store.session import Database
from engine.cli.root import app
from engine.credentials.errors import CredentialError
from tests.factories.command import COMMAND, Done, Glassbench
from tests.factories.stored_keys import keyed_entry_text, nobodys_key


@pytest.fixture
def command(tmp_path: Path, database_url: str) -> Glassbench:
    (tmp_path / "models.toml").write_text(keyed_entry_text("hosted") + keyed_entry_text("free", stored=False))
    return Glassbench(home=tmp_path, database_url=database_url)


def piped(command: Glassbench, *arguments: str, given: bytes, code: int = 0) -> Done:
    ended = subprocess.run(
        [COMMAND, *arguments], env=command.environment, input=given, capture_output=True, timeout=120, check=False
    )
    assert ended.returncode == code, (ended.stdout, ended.stderr)
    return Done(code=ended.returncode, out=ended.stdout.decode(), err=ended.stderr.decode())


def in_process(command: Glassbench, monkeypatch: pytest.MonkeyPatch, words: list[str], given: bytes) -> Result:
    """Runs a credential command without a process of its own."""
    for name in [name for name in os.environ if name.startswith("GLASSBENCH_")]:
        monkeypatch.delenv(name)
    for name, value in command.environment.items():
        monkeypatch.setenv(name, value)
    return CliRunner().invoke(app, ["credential", *words], input=given)


def dump(database: Database) -> str:
    with database.transaction() as connection:
        names = connection.execute(text("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")).scalars()
        rows = [connection.execute(text(f"SELECT t::text FROM {name} t")).scalars().all() for name in list(names)]
    return "\n".join(line for table in rows for line in table)


def test_a_key_appears_in_no_output_no_file_and_no_row(command: Glassbench, database: Database) -> None:
    first, second = nobodys_key(), nobodys_key()
    said = [
        piped(command, "credential", "set", "hosted", given=first.encode() + b"\n"),
        piped(command, "credential", "rotate", "hosted", "-", given=second.encode() + b"\r\n"),
        piped(command, "credential", "rotate", "hosted", given=second.encode(), code=1),
        command.run("credential", "rotate", "--ring"),
        command.run("credential", "list"),
        command.run("credential", "list", "--json"),
        command.run("credential", "remove", "hosted"),
    ]
    seen = "".join(done.out + done.err for done in said) + dump(database)
    files = b"".join(path.read_bytes() for path in command.home.rglob("*") if path.is_file())
    for value in (first, second):
        assert value not in seen
        assert value.encode() not in files


def test_the_list_says_what_is_stored_and_whether_it_opens(command: Glassbench) -> None:
    assert command.json("credential", "list") == [
        {"model": "hosted", "origin": None, "key_id": None, "changed_at": None, "state": "not_stored"}
    ]
    done = piped(command, "credential", "set", "hosted", "--json", given=nobodys_key().encode())
    assert "keyring.json" in done.err
    (row,) = command.json("credential", "list")
    assert (row["state"], row["origin"], row["key_id"]) == ("readable", "https://llm.example", done.json()["key_id"])
    (command.home / "keyring.json").unlink()
    assert command.json("credential", "list")[0]["state"] == "keyring_unusable"
    assert "credential set" in command.run("credential", "list").out


def test_a_key_typed_at_a_terminal_is_not_shown(command: Glassbench) -> None:
    value = nobodys_key()
    parent, child = pty.openpty()
    process = subprocess.Popen(
        [COMMAND, "credential", "set", "hosted"],
        env=command.environment,
        stdin=child,
        stdout=child,
        stderr=child,
        start_new_session=True,
        preexec_fn=lambda: os.close(os.open(os.ttyname(0), os.O_RDWR)),  # makes it the controlling terminal
    )
    os.close(child)
    shown = b""
    while b"Key of hosted" not in shown:
        shown += os.read(parent, 4096)
    os.write(parent, value.encode() + b"\n")
    with pytest.raises(OSError):  # noqa: PT012 - the terminal ends with its last process
        while True:
            shown += os.read(parent, 4096)
    os.close(parent)
    assert process.wait(timeout=60) == 0, shown
    assert b"stored the key of hosted" in shown
    assert value.encode() not in shown


@pytest.mark.parametrize(
    "arguments",
    [
        ["set", "hosted", "KEY"],
        ["set", "hosted", "-", "KEY"],
        ["set", "KEY"],
        ["set", "hosted", "--key=KEY"],
        ["set", "hosted", "--key", "KEY"],
        ["set", "hosted", "--json=KEY"],
        ["rotate", "hosted", "KEY"],
        ["rotate", "KEY"],
        ["rotate", "--ring", "KEY"],
        ["remove", "KEY"],
    ],
    ids=" ".join,
)
def test_a_key_on_the_command_line_is_refused_and_not_repeated(
    command: Glassbench, database: Database, arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    value = nobodys_key()
    words = [word.replace("KEY", value) for word in arguments]
    ended = in_process(command, monkeypatch, words, nobodys_key().encode())
    assert ended.exit_code in (1, 2)
    assert value not in ended.output + repr(ended.exception) + dump(database)
    if isinstance(ended.exception, GlassbenchError):
        assert value not in ended.exception.message + ended.exception.hint


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (b"", "CRED-INPUT-002"),
        (b"\n", "CRED-INPUT-002"),
        (b"short", "CRED-VALUE-001"),
        (b"two-lines-of\nkeys-here", "CRED-VALUE-001"),
        (b" leading-blank", "CRED-VALUE-001"),
        (b"trailing-blank ", "CRED-VALUE-001"),
        (b"\xff\xfe-not-ascii", "CRED-VALUE-001"),
        (b"x" * 8193, "CRED-VALUE-001"),
        (b"x" * 100_000, "CRED-VALUE-001"),
        (b"https://llm.example", "CRED-VALUE-002"),
    ],
    ids=["nothing", "a-line", "short", "two-lines", "leading", "trailing", "bytes", "8193", "long", "public"],
)
def test_what_cannot_be_a_key_is_refused(
    command: Glassbench, database: Database, given: bytes, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = in_process(command, monkeypatch, ["set", "hosted"], given)
    assert isinstance(ended.exception, CredentialError)
    assert ended.exception.code == code
    assert not given.strip() or given.decode(errors="replace") not in ended.output + ended.exception.message
    with database.transaction() as connection:
        assert connection.execute(text("SELECT count(*) FROM credential")).scalar_one() == 0


def test_a_closed_standard_input_gives_no_key(command: Glassbench) -> None:
    ended = subprocess.run(
        ["sh", "-c", f'"{COMMAND}" credential set hosted <&-'],
        env=command.environment,
        capture_output=True,
        check=False,
    )
    assert (ended.returncode, b"CRED-INPUT-002" in ended.stderr, b"Traceback" in ended.stderr) == (1, True, False)


def test_the_longest_key_is_taken(command: Glassbench) -> None:
    piped(command, "credential", "set", "hosted", given=b"~" * 8192 + b"\r\n")
    assert command.json("credential", "list")[0]["state"] == "readable"


def test_a_model_without_a_stored_key_is_told_what_to_write(command: Glassbench) -> None:
    done = piped(command, "credential", "set", "free", "--json", given=nobodys_key().encode(), code=1)
    error = json.loads(done.err.splitlines()[-1])["error"]
    assert error["code"] == "CRED-MODEL-002"
    assert "stored_credential = true" in error["hint"]


def test_rotate_wants_a_model_or_the_ring(command: Glassbench) -> None:
    command.run("credential", "rotate", code=2)
    command.run("credential", "rotate", "hosted", "--ring", code=2)
    assert command.error("credential", "rotate", "--ring")["code"] == "CRED-RING-001"
