"""What goes wrong is said by name, with what to do, and the exit code tells machines the kind."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
from pathlib import Path

import pytest

from dataset.store.session import Database
from tests.factories.command import COMMAND, Glassbench
from tests.factories.model_server import model_entry
from tests.factories.stored import new_batch, run_batch


@pytest.fixture
def command(home: Path, bank_url: str) -> Glassbench:
    return Glassbench(home=home, database_url=bank_url)


def test_unknown_names_are_told_with_those_that_are_known(command: Glassbench, bank: Database) -> None:
    new_batch(bank, command.home, "contrast-1", template="tiny", models=["scripted-careful"])

    model = command.error("batch", "create", "--template", "tiny", "--model", "scripted-carefull")
    assert model["code"] == "MODEL-KEY-001"
    assert "known: scripted-careful, scripted-careless" in model["message"]
    assert str(command.home / "models.toml") in model["hint"]

    template = command.error("batch", "create", "--template", "tinny", "--model", "scripted-careful")
    assert template["code"] == "BATCH-TEMPLATE-001"
    assert "it has: tiny" in template["message"]

    batch = command.error("batch", "run", "contrast-2")
    assert batch["code"] == "BATCH-UNKNOWN-001"
    assert "the closest are: contrast-1" in batch["message"]
    assert "glassbench batch list" in batch["hint"]

    assert command.error("run", "show", "contrast-1-0099")["code"] == "RUN-UNKNOWN-001"
    unfinished = command.error("run", "show", "contrast-1-0001")
    assert unfinished["code"] == "RUN-MISSING-001"
    assert "glassbench run events contrast-1-0001" in unfinished["hint"]

    pack = command.error("template", "list", "--pack", "fin")
    assert pack["code"] == "BANK-UNKNOWN-001"
    assert "finance" in pack["message"]


def test_people_get_the_same_in_two_lines(command: Glassbench) -> None:
    ended = command.run("batch", "status", "nothing", code=1)
    assert ended.out == ""
    assert ended.err.splitlines() == [
        "error [BATCH-UNKNOWN-001]: unknown batch nothing",
        "  → see `glassbench batch list`",
    ]


def test_an_unfinished_or_unknown_batch_is_not_published(command: Glassbench, bank: Database, tmp_path: Path) -> None:
    new_batch(bank, command.home, "open", template="tiny", models=["scripted-careful"])
    target = tmp_path / "showcase"
    found = command.json("publish", "open", "nowhere", "--to", target, code=4)["refused"]
    assert {fault["batch_id"] for fault in found} == {"open", "nowhere"}
    assert not target.exists()
    assert (tmp_path / "showcase.refusal.json").exists()


def test_wrong_usage_exits_2(command: Glassbench) -> None:
    for arguments in (["batch", "run"], ["batch", "create", "--template", "tiny"], ["bath"], ["batch", "list", "--x"]):
        ended = command.run(*arguments, code=2)
        assert "Usage: glassbench" in ended.err


def test_an_empty_database_names_the_command_that_mends_it(empty_database_url: str, home: Path) -> None:
    found = Glassbench(home=home, database_url=empty_database_url).error("batch", "list")
    assert found["code"].startswith("DB-SCHEMA-")
    assert "glassbench db upgrade" in found["hint"]


def test_a_database_that_can_not_be_reached_is_named_without_its_password(home: Path) -> None:
    password = "pass" + "phrase" * 2
    url = f"postgresql://u:{password}@127.0.0.1:1/d"
    ended = Glassbench(home=home, database_url=url).run("batch", "list", code=1)
    assert "error [DB-CONN-001]" in ended.err
    assert "127.0.0.1:1/d" in ended.err
    assert password not in ended.err


def test_a_broken_model_registry_lists_every_fault_with_its_line(command: Glassbench) -> None:
    registry = command.home / "models.toml"
    registry.write_text(
        model_entry("a", "http://models.example/v1")
        + model_entry("b", "https://models.example/v1", temprature=1)
        + model_entry("scripted-careful", "https://models.example/v1")
    )
    found = command.error("batch", "create", "--template", "tiny", "--model", "a")
    assert found["code"] == "MODEL-REG-001"
    for fault in (f"{registry}:8", f"{registry}:20", "plain HTTP", "unknown setting", "scripted-careful"):
        assert fault in found["message"]
    states = {(f["subject"], f["state"]) for f in command.json("doctor", code=1)}
    assert ("models", "blocked") in states
    registry.write_text("[[models]\n")
    assert "not valid TOML" in command.error("model", "list")["message"]


def test_a_model_whose_key_is_not_set_is_refused_before_anything_runs(command: Glassbench, bank: Database) -> None:
    entry = model_entry("far", "https://models.example/v1", credential_env="FAR_MODEL_KEY")
    (command.home / "models.toml").write_text(entry)
    new_batch(bank, command.home, "keyless", template="tiny", models=["far"])
    found = command.error("batch", "run", "keyless")
    assert found["code"] == "MODEL-CRED-001"
    assert "export FAR_MODEL_KEY=" in found["hint"]


def test_a_pack_with_faults_is_not_imported(command: Glassbench, tmp_path: Path) -> None:
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "pack.yaml").write_text("id: [\n")
    checked = command.json("pack", "check", tmp_path / "pack", code=1)
    assert checked["ok"] is False
    assert ("pack.yaml", 2) in {(fault["file"], fault["line"]) for fault in checked["faults"]}
    imported = command.json("pack", "import", tmp_path / "pack", code=1)
    assert imported == checked
    assert "does not exist" in command.run("pack", "check", tmp_path / "nowhere", code=2).err


def test_a_state_directory_that_is_a_file_is_named(bank_url: str, tmp_path: Path) -> None:
    path = tmp_path / "home"
    path.write_text("in the way")
    assert Glassbench(home=path, database_url=bank_url).error("model", "list")["code"] == "HOME-001"


@pytest.fixture
def chinese(command: Glassbench, bank: Database) -> str:
    """A finished run whose question is Chinese."""
    batch_id = new_batch(bank, command.home, "b1", template="chinese", models=["scripted-careful"])
    run_batch(bank, command.home, batch_id)
    return f"{batch_id}-0001"


@pytest.mark.parametrize(
    ("settings", "escaped"),
    [
        ({"LC_ALL": "C"}, False),  # Python takes UTF-8 in the C locale
        ({"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, True),
        ({"PYTHONIOENCODING": "latin-1"}, True),
    ],
)
def test_a_terminal_without_chinese_shows_it_escaped(
    command: Glassbench, chinese: str, settings: dict[str, str], escaped: bool
) -> None:
    poor = Glassbench(home=command.home, database_url=command.database_url, extra=settings)
    shown = poor.run("run", "show", chinese).out
    assert ("\\u" in shown) is escaped
    assert poor.json("template", "show", "contrast")["title"]["zh"] == "对比"


@pytest.mark.parametrize("arguments", [("template", "list"), ("template", "list", "--json"), ("--help",)])
def test_a_reader_that_goes_away_ends_the_command_quietly(command: Glassbench, arguments: tuple[str, ...]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        ended = subprocess.run(
            [COMMAND, *arguments],
            env=command.environment,
            stdout=writer,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    finally:
        os.close(writer)
    assert ended.stderr == ""
    assert ended.returncode in (0, 1)


def test_a_narrow_terminal_still_shows_every_letter_of_an_id(command: Glassbench, bank: Database) -> None:
    run_batch(bank, command.home, new_batch(bank, command.home, "b1", template="tiny", models=["scripted-careful"]))
    shown = on_terminal(command, columns=30, arguments=("batch", "status", "b1"))
    assert "Traceback" not in shown
    lines = [line for line in re.sub(r"\x1b\[[0-9;]*m", "", shown).splitlines() if line.strip()]
    assert any(line.split()[-1] == "scripted-careful" for line in lines), "what doesn't fit stands line by line, whole"


def on_terminal(command: Glassbench, *, columns: int, arguments: tuple[str, ...]) -> str:
    """What a terminal of this width gets."""
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with subprocess.Popen(
        [COMMAND, *arguments], env={**command.environment, "TERM": "xterm"}, stdin=side, stdout=side, stderr=side
    ) as process:
        os.close(side)
        seen = b""
        while select.select([main], [], [], 60)[0]:
            try:
                data = os.read(main, 65536)
            except OSError:
                break
            if not data:
                break
            seen += data
        process.wait()
    os.close(main)
    assert process.returncode == 0
    return seen.decode().replace("\r\n", "\n")


@pytest.mark.parametrize(("redirection", "code"), [("> /dev/full", 1), (">&-", 0), (">&- 2>&-", 0)])
def test_output_that_has_nowhere_to_go_is_no_traceback(tmp_path: Path, redirection: str, code: int) -> None:
    done = subprocess.run(
        ["sh", "-c", f"{COMMAND} model list {redirection}"],
        env={"GLASSBENCH_HOME": str(tmp_path), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code
    assert "Traceback" not in done.stderr
    assert ("error [SYSTEM-001]: the system refused" in done.stderr) == bool(code)


def test_every_recorded_run_can_be_listed_with_why_it_failed(command: Glassbench, bank: Database) -> None:
    batch_id = new_batch(bank, command.home, "b1", template="tiny", models=["scripted-careful", "scripted-careless"])
    run_batch(bank, command.home, batch_id)
    listed = command.json("batch", "status", batch_id, "--runs")["runs"]
    assert {run["run_id"] for run in listed} == {f"b1-000{n}" for n in range(1, 5)}
    failed = next(run for run in listed if run["verdict"] == "fail")
    printed = command.run("batch", "status", batch_id, "--runs").out
    assert failed["run_id"] in printed
    assert failed["failure_reasons"][0] in printed
