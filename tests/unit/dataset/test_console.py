"""Every command speaks on any terminal: exit codes, errors, encodings, closed pipes."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable

import pytest

from dataset.console import print_error, print_json, print_table, printable, run_command
from dataset.errors import GlassbenchError

ERROR = GlassbenchError("no 题 \x1b[31m", hint="do 此", code="X-001")


def on(monkeypatch: pytest.MonkeyPatch, encoding: str) -> tuple[io.BytesIO, io.BytesIO]:
    """stdout and stderr as raw bytes, in an encoding."""
    raw = io.BytesIO(), io.BytesIO()
    for name, buffer in zip(("stdout", "stderr"), raw, strict=True):
        monkeypatch.setattr(sys, name, io.TextIOWrapper(buffer, encoding=encoding, write_through=True))
    return raw


def exit_code(app: Callable[[], object]) -> object:
    with pytest.raises(SystemExit) as caught:
        run_command(app)
    return caught.value.code


def raises(error: BaseException) -> Callable[[], None]:
    def app() -> None:
        raise error

    return app


def test_an_error_of_ours_exits_1_with_code_and_mend(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["glassbench"])
    assert exit_code(raises(ERROR)) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines() == ["error [X-001]: no 题 \\x1b[31m", "  → do 此"]


def test_machines_get_the_error_as_one_json_object(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["glassbench", "--json"])
    assert exit_code(raises(ERROR)) == 1
    found = json.loads(capsys.readouterr().err)
    assert found == {"error": {"code": "X-001", "message": "no 题 \x1b[31m", "hint": "do 此"}}


def test_a_stop_exits_130(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code(raises(KeyboardInterrupt())) == 130
    assert capsys.readouterr().err == "stopped\n"


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "gb18030", "utf-8"])
def test_text_that_an_encoding_lacks_is_shown_escaped(monkeypatch: pytest.MonkeyPatch, encoding: str) -> None:
    out, err = on(monkeypatch, encoding)
    monkeypatch.setattr(sys, "argv", ["glassbench"])

    def app() -> None:
        print_table("é 题", ("a",), [("价格 \U0001f600 \ud800",)])
        raise ERROR

    assert exit_code(app) == 1
    table, error = out.getvalue().decode(encoding), err.getvalue().decode(encoding)
    assert "价格" in table or "\\u4ef7\\u683c" in table
    assert "题" in error or "\\u9898" in error


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_json_stays_json_in_any_encoding(monkeypatch: pytest.MonkeyPatch, encoding: str) -> None:
    value = {"text": "é 题 \U0001f600 \ud800"}
    out, err = on(monkeypatch, encoding)

    def app() -> None:
        print_json(value)
        print_error(ERROR, as_json=True)

    run_command(app)
    assert json.loads(out.getvalue().decode(encoding)) == value
    assert json.loads(err.getvalue().decode(encoding))["error"]["hint"] == "do 此"


def test_control_characters_are_made_visible() -> None:
    assert printable("a\x1b]0;title\x07\u202eb\tc\nd\u200b题") == "a\\x1b]0;title\\x07\\u202eb\tc\nd\\u200b题"


def test_a_missing_cell_is_a_dash_and_columns_keep_their_order(capsys: pytest.CaptureFixture[str]) -> None:
    print_table("T", ("name", "#count"), [("a", None), ("[bold]b[/bold]", 3)])
    lines = [line.strip() for line in capsys.readouterr().out.splitlines() if line.strip()]
    assert lines[0] == "T"
    assert lines[1].split() == ["name", "count"]
    assert lines[-2].split() == ["a", "–"]
    assert lines[-1].split() == ["[bold]b[/bold]", "3"]


def test_a_table_in_a_pipe_has_a_line_for_each_row_however_wide(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    print_table("T", ("run", "why"), [("a", "w" * 400), ("b", "short")])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines[-3:-1]] == [["a", "w" * 400], ["b", "short"]]
    assert all(line == line.rstrip() for line in lines)


def test_a_table_that_does_not_fit_becomes_lines_and_breaks_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("dataset.console._PIPED_WIDTH", 80)
    number, host = "123,456,789,012", "a-long-name-of-a-host.somewhere.example:8443"
    print_table("T", ("model", "host", "#tokens"), [("m" * 30, host, number), ("b", "h", 1)])
    lines = capsys.readouterr().out.splitlines()
    assert lines == [
        "T",
        "",
        f"model: {'m' * 30}",
        f"host: {host}",
        f"tokens: {number}",
        "",
        "model: b",
        "host: h",
        "tokens: 1",
    ]
