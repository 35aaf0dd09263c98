"""What the scan before publishing must look for: every secret that this installation knows."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.cli.known_values import database_password, known_values

ENTRY = """
[[models]]
key = "hosted"
display_name = "Hosted"
family = "example"
provider = "example"
wire_api = "openai_chat"
model_id = "example-1"
base_url = "https://llm.example/v1"
credential_env = "{variable}"
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GLASSBENCH_HOME", str(tmp_path))
    monkeypatch.delenv("GLASSBENCH_DATABASE_URL", raising=False)
    return tmp_path


def test_set_variables_are_handed_over_and_unset_ones_are_named(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    other = ENTRY.replace("hosted", "other").replace("example-1", "example-2")
    (home / "models.toml").write_text(ENTRY.format(variable="FIRST_KEY") + other.format(variable="SECOND_KEY"))
    value = "-".join(("not", "a", "real", "key"))
    monkeypatch.setenv("FIRST_KEY", value)
    monkeypatch.delenv("SECOND_KEY", raising=False)
    assert known_values() == {"FIRST_KEY": value}
    said = capsys.readouterr().err
    assert "SECOND_KEY" in said
    assert value not in said


def test_the_databases_password_is_one_of_them(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "pass" + "word/1"
    monkeypatch.setenv("GLASSBENCH_DATABASE_URL", "postgresql://user:" + secret.replace("/", "%2F") + "@db.example/x")
    assert known_values() == {"GLASSBENCH_DATABASE_URL": secret}


@pytest.mark.parametrize(
    "url", ["", "postgresql://user@host/x", "postgresql://user:" + "short" + "@host/x", "postgresql://[bad"]
)
def test_a_url_without_a_password_to_look_for_gives_none(url: str) -> None:
    assert database_password(url) is None
