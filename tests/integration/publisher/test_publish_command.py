from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from dataset.store.session import DATABASE_URL_VARIABLE
from publisher.cli.commands import mount
from publisher.projection.file_system import FileSystem


@pytest.fixture(autouse=True)
def _somewhere(database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DATABASE_URL_VARIABLE, database_url)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")


def publish(*arguments: str) -> Result:
    app = typer.Typer()
    mount(app, known_values=lambda _: {})
    return CliRunner().invoke(app, ["publish", *arguments])


@pytest.mark.parametrize("target", [".", "../here", "./", "new", "../here/new/"])
def test_a_refusal_names_the_file_that_was_written_however_the_target_is_spelled(tmp_path: Path, target: str) -> None:
    done = publish("no-such-batch", "--to", target)
    name = "new" if "new" in target else "here"
    file = (tmp_path / "here" if name == "new" else tmp_path) / f"{name}.refusal.json"
    assert done.exit_code == 4, done.exception
    assert f"the same list for machines: {file}\n" in done.stdout
    assert file.is_file()


def test_machines_are_told_the_file_too(tmp_path: Path) -> None:
    done = publish("no-such-batch", "--to", ".", "--json")
    told = json.loads(done.stdout)
    assert done.exit_code == 4
    assert [fault["code"] for fault in told["refused"]] == ["GATE-BATCH-001"]
    assert told["file"] == str(tmp_path / "here.refusal.json")


def test_no_file_is_named_where_none_could_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: FileSystem, path: Path, data: bytes) -> None:
        raise OSError("no room")

    monkeypatch.setattr(FileSystem, "write", full)
    done = publish("no-such-batch", "--to", "new")
    assert done.exit_code == 4
    assert "GATE-BATCH-001" in done.stdout
    assert "refusal.json" not in done.stdout
    assert json.loads(publish("no-such-batch", "--to", "new", "--json").stdout)["file"] is None
