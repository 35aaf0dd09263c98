"""Doctor: every finding is ok, blocked or unknown, and says what to do where it isn't ok."""

from __future__ import annotations

from pathlib import Path

import pytest

from dataset.questions.pack import Pack
from dataset.store.bank import import_pack
from dataset.store.session import connect
from engine.doctor.examination import Finding, examine
from tests.factories.model_server import model_entry
from tests.factories.stored import bank_of_tests

VARIABLE = "GLASSBENCH_DATABASE_URL"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "home"
    path.mkdir()
    monkeypatch.setenv("GLASSBENCH_HOME", str(path))
    return path


def found(**environ: str) -> dict[str, Finding]:
    return {finding.subject: finding for finding in examine(environ)}


def providers(**environ: str) -> dict[str, Finding]:
    return {f.detail.split(":")[0]: f for f in examine(environ) if f.subject == "provider"}


def test_a_database_that_can_not_be_reached_blocks_and_what_needs_it_is_unknown(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "postgresql://127.0.0.1:1/d")
    states = {subject: finding.state for subject, finding in found().items()}
    assert states == {
        "python": "ok",
        "home": "ok",
        "postgresql": "blocked",
        "schema": "unknown",
        "packs": "unknown",
        "provider": "ok",
    }
    assert found()["postgresql"].mend


def test_an_empty_database_names_the_upgrade(
    home: Path, empty_database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, empty_database_url)
    schema = found()["schema"]
    assert (schema.state, schema.mend) == ("blocked", "glassbench db upgrade")


def test_a_bank_without_a_pack_names_the_import_and_with_one_is_ok(
    home: Path, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, database_url)
    packs = found()["packs"]
    assert (packs.state, packs.mend) == ("blocked", "glassbench pack import DIRECTORY")
    pack: Pack = bank_of_tests()
    with connect(database_url) as database:
        import_pack(database, pack)
    assert found()["packs"].detail.startswith(f"finance v{pack.head.version} ({pack.reference.hash[:12]})")
    assert {finding.state for finding in found().values()} == {"ok"}


def test_providers_are_ok_offline_blocked_without_their_key_and_unknown_until_asked(
    home: Path, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, database_url)
    (home / "models.toml").write_text(
        model_entry("far", "https://models.example/v1", credential_env="FAR_KEY")
        + model_entry("near", "http://127.0.0.1:8080/v1")
    )
    without, given = providers(), providers(FAR_KEY="k" * 12)
    assert {key: f.state for key, f in without.items()} == {
        "scripted-careful": "ok", "scripted-careless": "ok", "far": "blocked", "near": "unknown",
    }  # fmt: skip
    assert without["far"].mend.startswith("export FAR_KEY=")
    assert given["far"].state == "unknown"
    assert "k" * 12 not in str(given)


def test_a_registry_with_faults_and_a_home_that_is_a_file_are_findings_not_crashes(
    home: Path, tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, database_url)
    (home / "models.toml").write_text("[[models]\n")
    assert found()["models"].state == "blocked"
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("GLASSBENCH_HOME", str(tmp_path / "file"))
    assert found()["home"].state == "blocked"


def test_a_model_that_waits_for_its_stored_key_is_blocked_with_the_command_that_stores_it(
    home: Path, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, database_url)
    entry = model_entry("far", "https://models.example/v1").rstrip()
    (home / "models.toml").write_text(f"{entry}\nstored_credential = true\n")
    stored = found()["stored keys"]
    assert (stored.state, "glassbench credential set far" in stored.mend) == ("blocked", True)
