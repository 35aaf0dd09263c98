"""`glassbench key`: what it prints, and what it never does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from publisher.cli.commands import mount
from publisher.release_log.errors import KeyFileError
from publisher.release_log.key_file import key_path, read_key
from publisher.release_log.note import read_verifier_key

NAME = "example.org/bench"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GLASSBENCH_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("GLASSBENCH_SIGNING_KEY", raising=False)
    return tmp_path / "home"


def said(*words: str) -> str:
    app = typer.Typer()
    mount(app, known_values=lambda _: {})
    result = CliRunner().invoke(app, ["key", *words], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_new_key_tells_its_public_half_and_what_to_do_with_it(home: Path) -> None:
    output = said("new", NAME)
    signer = read_key(key_path(NAME, home))
    assert read_verifier_key(output.splitlines()[0]) == signer.verifier
    assert str(key_path(NAME, home)) in output
    assert "somewhere else than on the site" in output
    assert signer.private_text() not in output


def test_a_key_may_be_put_elsewhere(home: Path, tmp_path: Path) -> None:
    path = tmp_path / "mine.skey"
    found = json.loads(said("new", NAME, "--file", str(path), "--json"))
    assert found == {
        "verifier_key": str(read_key(path).verifier),
        "key_id": read_key(path).verifier.key_id,
        "file": str(path),
    }
    assert not key_path(NAME, home).exists()


def test_a_key_is_shown_without_its_secret(home: Path) -> None:
    said("new", NAME)
    signer = read_key(key_path(NAME, home))
    facts = json.loads(said("show", "--json"))
    assert facts["verifier_key"] == str(signer.verifier)
    assert (facts["name"], facts["key_id"]) == (NAME, signer.verifier.key_id)
    assert facts["file"] == str(key_path(NAME, home))
    assert len(facts["fingerprint"]) == 64
    for output in (said("show"), json.dumps(facts)):
        assert str(signer.verifier) in output
        assert signer.private_text()[-40:] not in output
        assert signer.seed.hex() not in output


def test_showing_no_key_says_how_to_make_one(home: Path) -> None:
    with pytest.raises(KeyFileError) as caught:
        said("show")
    assert caught.value.code == "KEY-CHOICE-002"
    assert "key new" in caught.value.hint
