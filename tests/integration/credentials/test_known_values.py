"""The scan before publishing also looks for stored keys, and is refused where it can't know one that was used."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import SecretStr

from dataset.store.session import Database
from engine.cli.known_values import CredentialUnknownError, known_values
from engine.credentials.vault import Vault
from tests.factories.stored_keys import keyed_entry, keyed_entry_text, nobodys_key


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, database_url: str) -> Path:
    for name in [name for name in os.environ if name.startswith("GLASSBENCH_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GLASSBENCH_HOME", str(tmp_path))
    monkeypatch.setenv("GLASSBENCH_DATABASE_URL", database_url)
    return tmp_path


@pytest.fixture
def store(home: Path, database: Database) -> Callable[[str], str]:
    def stored(key: str) -> str:
        value = nobodys_key()
        vault = Vault(database=database, keyring=home / "keyring.json")
        vault.set(keyed_entry(key), lambda: SecretStr(value))
        return value

    return stored


def test_stored_keys_are_looked_for_whether_or_not_the_registry_still_has_the_model(
    home: Path, store: Callable[[str], str]
) -> None:
    (home / "models.toml").write_text(keyed_entry_text("hosted"))
    values = {f"stored key of {key}": store(key) for key in ("hosted", "gone")}
    assert values.items() <= known_values(["hosted"]).items()
    assert values.items() <= known_values().items()


@pytest.mark.parametrize("harm", ["lost ring", "never stored"])
def test_a_release_whose_stored_key_cannot_be_read_is_refused(
    home: Path, store: Callable[[str], str], harm: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / "models.toml").write_text(keyed_entry_text("hosted") + keyed_entry_text("other"))
    store("other")
    if harm == "lost ring":
        store("hosted")
        (home / "keyring.json").unlink()
    with pytest.raises(CredentialUnknownError, match="hosted"):
        known_values(["hosted"])
    known_values(["another"])
    assert "hosted" in capsys.readouterr().err


def test_a_key_is_still_demanded_after_the_model_left_the_registry(home: Path, store: Callable[[str], str]) -> None:
    store("gone")
    (home / "keyring.json").unlink()
    with pytest.raises(CredentialUnknownError, match="gone"):
        known_values(["gone"])


def test_a_variable_of_the_releases_own_models_must_be_set(home: Path) -> None:
    own = 'credential_env = "FIRST_KEY"'
    (home / "models.toml").write_text(keyed_entry_text("hosted").replace("stored_credential = true", own))
    known_values(["another"])
    with pytest.raises(CredentialUnknownError, match="FIRST_KEY"):
        known_values(["hosted"])
