"""`glassbench tokens`: what it prints, and what it says of an input that can't be counted."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from dataset.context.token_counter import COUNTER_VERSION, count_tokens
from engine.cli import tokens as command
from tests.factories.command import COMMAND, Glassbench

ENGLISH = "The adviser listed three risks and a cheaper choice.\r\n"
CHINESE = "基金的单位净值每天公布一次。"


@pytest.fixture
def glassbench(tmp_path: Path) -> Glassbench:
    return Glassbench(home=tmp_path / "home")


def piped(glassbench: Glassbench, data: bytes, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [COMMAND, "tokens", *arguments], input=data, env=glassbench.environment, capture_output=True, check=False
    )


def file(folder: Path, name: str, content: bytes) -> Path:
    (folder / name).write_bytes(content)
    return folder / name


def test_one_file_is_a_count_with_its_version(glassbench: Glassbench, tmp_path: Path) -> None:
    path = file(tmp_path, "a.txt", ENGLISH.encode())
    assert glassbench.run("tokens", path).out == f"{count_tokens(ENGLISH)} tokens at most ({COUNTER_VERSION})\n"


def test_several_files_make_a_line_each_and_a_total(glassbench: Glassbench, tmp_path: Path) -> None:
    first = file(tmp_path, "a.txt", (ENGLISH * 500).encode())
    second = file(tmp_path, "b\x1b[31m.txt", CHINESE.encode())
    counts = [count_tokens(ENGLISH * 500), count_tokens(CHINESE)]
    lines = glassbench.run("tokens", first, second).out.splitlines()
    assert [int(line.split()[0].replace(",", "")) for line in lines] == [*counts, sum(counts)]
    assert lines[1].endswith("b\\x1b[31m.txt")
    assert lines[2].endswith(f"tokens at most in 2 files ({COUNTER_VERSION})")


def test_json_names_each_file_with_bytes_and_tokens(glassbench: Glassbench, tmp_path: Path) -> None:
    path, empty = file(tmp_path, "c.txt", CHINESE.encode()), file(tmp_path, "empty.txt", b"")
    assert glassbench.json("tokens", path, empty) == {
        "counter_version": COUNTER_VERSION,
        "files": [
            {"name": str(path), "bytes": len(CHINESE.encode()), "tokens": count_tokens(CHINESE)},
            {"name": str(empty), "bytes": 0, "tokens": 0},
        ],
        "tokens": count_tokens(CHINESE),
    }


@pytest.mark.parametrize("arguments", [(), ("-",)])
def test_standard_input_is_read_where_no_file_is_named(glassbench: Glassbench, arguments: tuple[str, ...]) -> None:
    ended = piped(glassbench, CHINESE.encode(), "--json", *arguments)
    assert json.loads(ended.stdout)["tokens"] == count_tokens(CHINESE)
    assert ended.stderr == b""


def test_closed_standard_input_is_named(glassbench: Glassbench) -> None:
    ended = subprocess.run(
        ["/bin/sh", "-c", f'"{COMMAND}" tokens <&-'], env=glassbench.environment, capture_output=True, check=False
    )
    assert (ended.returncode, ended.stdout) == (1, b"")
    assert b"TOKENS-INPUT-001" in ended.stderr


@pytest.mark.parametrize(
    ("name", "content", "place", "mend"),
    [
        ("latin-1.txt", b"plain\nd\xe9j\xe0 vu", "byte 0xe9 at offset 7 (line 2)", "iconv -f ISO-8859-1"),
        ("utf-16.txt", "Hi".encode("utf-16"), "byte 0xff at offset 0 (line 1)", "iconv -f UTF-16"),
        ("cut-off.txt", CHINESE.encode()[:-1], "byte 0xe3 at offset 39 (line 1)", "convert it"),
        ("binary.dat", b"\x7fELF\0\0\xd0\n", "byte 0xd0 at offset 6 (line 1)", "binary"),
    ],
)
def test_what_is_no_utf_8_is_refused_with_the_place_and_a_mend(
    name: str, content: bytes, place: str, mend: str, glassbench: Glassbench, tmp_path: Path
) -> None:
    error = glassbench.error("tokens", file(tmp_path, name, content))
    assert error["code"] == "TOKENS-UTF8-001"
    assert place in error["message"]
    assert name in error["message"]
    assert mend in error["hint"]


@pytest.mark.parametrize(("name", "reason"), [("missing.txt", "No such file"), ("folder", "is a directory")])
def test_a_file_that_cannot_be_read_ends_it_without_any_count(
    name: str, reason: str, glassbench: Glassbench, tmp_path: Path
) -> None:
    (tmp_path / "folder").mkdir()
    good = file(tmp_path, "good.txt", b"well")
    ended = glassbench.run("tokens", good, tmp_path / name, code=1)
    assert ended.out == ""
    assert "TOKENS-INPUT-001" in ended.err
    assert reason in ended.err
    assert name in ended.err


def test_an_endless_input_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "MOST_BYTES", 3_000_000)
    with pytest.raises(command.TokensInputError, match="longer than 3,000,000 bytes"):
        command._count_file(Path("/dev/zero"))


def test_text_with_null_characters_is_text(glassbench: Glassbench) -> None:
    assert json.loads(piped(glassbench, b"a\0b", "--json").stdout)["tokens"] == count_tokens("a\0b")


def test_a_reader_that_leaves_early_makes_no_noise(glassbench: Glassbench, tmp_path: Path) -> None:
    path = file(tmp_path, "a.txt", ENGLISH.encode())
    reading, writing = os.pipe()
    os.close(reading)
    ended = subprocess.run(
        [COMMAND, "tokens", path], env=glassbench.environment, stdout=writing, stderr=subprocess.PIPE, check=False
    )
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (1, b"")


def test_an_interrupt_while_it_reads_ends_it_with_130(glassbench: Glassbench) -> None:
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [COMMAND, "tokens"],
        env=glassbench.environment,
        stdin=follower,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stderr is not None
    assert process.stderr.readline() == "reading standard input; end it with Ctrl-D\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    os.close(leader)
    os.close(follower)
    assert (process.returncode, out) == (130, "")
    assert "Traceback" not in err


def test_a_long_count_shows_how_far_it_is_on_a_terminal_and_wipes_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    times = iter([0.0, 0.1, 0.6, 0.65, 0.9])
    progress = command._Progress(name="big\x07.txt", length=200, clock=lambda: next(times))
    for done in (50, 100, 120, 200):
        progress.show(done)
    progress.clear()
    shown = capsys.readouterr().err.split("\r\x1b[K")
    assert shown == ["", "counting big\\x07.txt: 50 %", "counting big\\x07.txt: 100 %", ""]


def test_the_help_needs_no_counter(glassbench: Glassbench) -> None:
    script = "import sys; import engine.cli.root; print([m for m in sys.modules if 'token_c' in m or m == 'numpy'])"
    ended = subprocess.run(
        [COMMAND.with_name("python"), "-c", script],
        env=glassbench.environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stdout == "[]\n"
