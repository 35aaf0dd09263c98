from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from dataset.errors import GlassbenchError
from publisher.cli import scan as scan_module
from publisher.cli.commands import mount


def scan(*arguments: str) -> Result:
    app = typer.Typer()
    mount(app, known_values=lambda _: {"SAMPLE_KEY": "a-value-of-nobody-4711"})
    return CliRunner().invoke(app, ["scan", *arguments])


@pytest.fixture
def leak(tmp_path: Path) -> Path:
    file = tmp_path / "leak.txt"
    file.write_text("it was a-value-of-nobody-4711 all along")
    return file


def test_a_clean_file_exits_with_0(tmp_path: Path) -> None:
    (tmp_path / "clean.txt").write_text("nothing here")
    done = scan(str(tmp_path))
    assert (done.exit_code, done.output) == (0, "nothing found\n")


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_finding_exits_with_3_which_no_failed_scan_does(leak: Path, form: tuple[str, ...]) -> None:
    done = scan(str(leak), *form)
    assert done.exit_code == 3
    assert "leak.txt" in done.output
    assert "a-value-of-nobody-4711" not in done.output
    if form:
        assert len(json.loads(done.output)["findings"]) == 1


def test_a_scan_that_can_not_be_done_is_an_error_even_after_a_finding(leak: Path, tmp_path: Path) -> None:
    done = scan(str(leak), str(tmp_path / "gone"))
    assert isinstance(done.exception, GlassbenchError)
    assert done.exception.code == "SCAN-READ-001"


def test_help_tells_the_exit_codes() -> None:
    text = " ".join(scan("--help").output.split())
    assert "Exit 0 where nothing is found, 3 where anything is, 1 where the scan could not be done." in text


def test_a_long_scan_says_on_stderr_how_far_it_has_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan_module, "NEWS_SECONDS", 0.0)
    for number in range(3):
        (tmp_path / f"{number}.txt").write_text("nothing here")
    done = scan(str(tmp_path))
    assert done.stdout == "nothing found\n"
    assert done.stderr == "scanned 3 files, 0 MB\n"


def test_a_short_scan_says_nothing_on_stderr(leak: Path) -> None:
    assert scan(str(leak)).stderr == ""
