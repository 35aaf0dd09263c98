"""Stored keys in PostgreSQL: sealed, bound, told in the audit trail, and left alone while a batch uses them."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from sqlalchemy import Connection, insert, select, text, update

from dataset.canonical import canonical_bytes
from dataset.record import BatchId
from dataset.store.bank import import_pack
from dataset.store.credentials import credential_change, credential_lock
from dataset.store.execution_tables import audit_event, batch_control, credential, slice_
from dataset.store.session import Database
from dataset.store.tables import batch
from engine.credentials.errors import (
    CredentialBusyError,
    CredentialError,
    CredentialNotStoredError,
    EnvelopeDamagedError,
    KeyringError,
    NothingStoredError,
    OriginChangedError,
    RingKeyUnknownError,
    ValueRefusedError,
)
from engine.credentials.keyring_file import add_ring_key, ensure_keyring, read_keyring
from engine.credentials.stored_credentials import StoredCredentials
from engine.credentials.vault import Vault
from tests.factories.bank import CASE_IDS, VARIANTS, make_case, make_definition, make_model, make_pack, make_template
from tests.factories.stored_keys import keyed_entry, nobodys_key

ENTRY = keyed_entry()


@pytest.fixture
def bank(database: Database) -> Database:
    return database


@pytest.fixture
def home(tmp_path: Path) -> Path:
    path = tmp_path / "home"
    path.mkdir()
    return path


@pytest.fixture
def keyring(home: Path) -> Path:
    return home / "keyring.json"


@pytest.fixture
def vault(bank: Database, keyring: Path) -> Vault:
    return Vault(database=bank, keyring=keyring)


@pytest.fixture
def stored(bank: Database, keyring: Path) -> StoredCredentials:
    return StoredCredentials(database=bank, keyring=keyring)


def given(value: str) -> Callable[[], SecretStr]:
    return lambda: SecretStr(value)


def told(database: Database) -> list[tuple[str, str, Any]]:
    with database.transaction() as connection:
        rows = connection.execute(select(audit_event).order_by(audit_event.c.number)).all()
    assert {row.retention for row in rows} <= {"security"}
    return [(row.kind, row.subject, json.loads(row.payload)) for row in rows]


def everything(database: Database) -> str:
    """Every row of every table, as text."""
    with database.transaction() as connection:
        tables = connection.execute(text("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")).scalars()
        rows = [connection.execute(text(f"SELECT t::text FROM {name} t")).scalars().all() for name in list(tables)]
    return "\n".join(line for table in rows for line in table)


def active_batch(bank: Database, wish: str = "run") -> BatchId:
    """A batch of the model, as wished for."""
    cases = [make_case(case_id) for case_id in CASE_IDS]
    template = make_template()
    pack = make_pack(cases, template=template, variants=VARIANTS)
    definition = make_definition(pack, template=template, models=[make_model("hosted")], cases=cases)
    import_pack(bank, pack)
    row = {
        "id": "b-1",
        "pack_id": pack.head.id,
        "pack_version": pack.head.version,
        "definition": canonical_bytes(definition.body(), allow_floats=True),
        "definition_hash": definition.digest(),
        "created_at": datetime.now(UTC),
    }
    with bank.transaction() as connection:
        connection.execute(insert(batch), row)
        connection.execute(insert(batch_control), {"batch_id": "b-1"})
    wished(bank, wish)
    return BatchId("b-1")


def wished(bank: Database, wish: str) -> None:
    with bank.transaction() as connection:
        connection.execute(update(batch_control).values(wish=wish))


def test_a_stored_key_comes_back_and_stands_nowhere_in_clear(
    bank: Database, vault: Vault, stored: StoredCredentials, home: Path
) -> None:
    first, second = nobodys_key(), nobodys_key()
    done = vault.set(ENTRY, given(first))
    assert (done.replaced, done.keyring_created) == (False, True)
    assert stored.resolve(ENTRY) == first
    vault.rotate(ENTRY, given(second))
    assert stored.resolve(ENTRY) == second
    dump = everything(bank)
    for value in (first, second):
        assert value not in dump
        assert value.encode().hex() not in dump
        assert not any(value.encode() in file.read_bytes() for file in home.iterdir())


def test_each_change_is_told_without_key_origin_or_envelope(bank: Database, vault: Vault, keyring: Path) -> None:
    vault.set(ENTRY, given(nobodys_key()))
    first = read_keyring(keyring).active.id
    vault.set(ENTRY, given(nobodys_key()))
    vault.rotate(ENTRY, given(nobodys_key()))
    vault.rotate_ring()
    second = read_keyring(keyring).active.id
    vault.remove("hosted")
    assert told(bank) == [
        ("keyring_created", "keyring", {"key_id": first}),
        ("credential_set", "hosted", {"key_id": first, "replaced": False}),
        ("credential_set", "hosted", {"key_id": first, "replaced": True}),
        ("credential_rotated", "hosted", {"key_id": first}),
        ("keyring_rotated", "keyring", {"key_id": second, "previous_key_id": first, "resealed": 1}),
        ("credential_removed", "hosted", {"key_id": second}),
    ]
    with bank.transaction() as connection:
        trail = "".join(connection.execute(text("SELECT e::text FROM audit_event e")).scalars())
    assert "llm.example" not in trail


def test_a_model_without_a_stored_key_resolves_to_none(stored: StoredCredentials) -> None:
    assert stored.resolve(keyed_entry(stored=False)) is None


def test_rotating_the_ring_seals_every_key_anew_and_keeps_its_value(
    bank: Database, vault: Vault, stored: StoredCredentials, keyring: Path
) -> None:
    entries = [keyed_entry(f"hosted-{number}") for number in range(5)]
    values = {entry.key: nobodys_key() for entry in entries}
    for entry in entries:
        vault.set(entry, given(values[entry.key]))
    with bank.transaction() as connection:
        before = set(connection.execute(select(credential.c.nonce)).scalars())
    assert vault.rotate_ring().resealed == 5
    with bank.transaction() as connection:
        after = connection.execute(select(credential)).all()
    assert {row.key_id for row in after} == {read_keyring(keyring).active.id}
    assert not before & {row.nonce for row in after}
    assert {entry.key: stored.resolve(entry) for entry in entries} == values


def test_a_ring_rotated_in_its_file_alone_leaves_every_row_readable(
    vault: Vault, stored: StoredCredentials, keyring: Path
) -> None:
    value = nobodys_key()
    vault.set(ENTRY, given(value))
    add_ring_key(keyring)  # and then the process dies
    assert stored.resolve(ENTRY) == value
    assert vault.rotate_ring().resealed == 1
    assert stored.resolve(ENTRY) == value


def test_a_ring_is_not_rotated_while_one_key_does_not_open(bank: Database, vault: Vault, keyring: Path) -> None:
    vault.set(ENTRY, given(nobodys_key()))
    vault.set(keyed_entry("other"), given(nobodys_key()))
    with bank.transaction() as connection:
        connection.execute(update(credential).where(credential.c.model_key == "other").values(ciphertext=b"x" * 40))
    before = (read_keyring(keyring), everything(bank))
    with pytest.raises(EnvelopeDamagedError, match="other"):
        vault.rotate_ring()
    assert read_keyring(keyring) == before[0]
    assert told(bank)[-1] == ("credential_refused", "keyring", {"action": "rotate_ring", "reason": "envelope_damaged"})


def test_an_envelope_moved_to_another_model_does_not_open(
    bank: Database, vault: Vault, stored: StoredCredentials
) -> None:
    vault.set(ENTRY, given(nobodys_key()))
    with bank.transaction() as connection:
        connection.execute(update(credential).values(model_key="other"))
    with pytest.raises(EnvelopeDamagedError):
        stored.resolve(keyed_entry("other"))


def test_a_changed_origin_demands_the_key_again(bank: Database, vault: Vault, stored: StoredCredentials) -> None:
    vault.set(ENTRY, given(nobodys_key()))
    moved = keyed_entry(base_url="https://elsewhere.example/v1")
    with pytest.raises(OriginChangedError) as refused:
        stored.resolve(moved)
    assert "credential set hosted" in refused.value.hint
    assert told(bank)[-1] == ("credential_unreadable", "hosted", {"reason": "origin_changed"})
    with pytest.raises(OriginChangedError):
        vault.rotate(moved, given(nobodys_key()))
    with bank.transaction() as connection:  # a row whose origin is edited to fit doesn't open
        connection.execute(update(credential).values(origin="https://elsewhere.example"))
    with pytest.raises(EnvelopeDamagedError):
        stored.resolve(moved)
    value = nobodys_key()
    vault.set(moved, given(value))
    assert stored.resolve(moved) == value


def test_another_path_at_the_same_origin_keeps_the_key(vault: Vault, stored: StoredCredentials) -> None:
    value = nobodys_key()
    vault.set(ENTRY, given(value))
    assert stored.resolve(keyed_entry(base_url="https://LLM.example:443/v2")) == value


@pytest.mark.parametrize(
    ("harm", "error"),
    [("lost", KeyringError), ("other", RingKeyUnknownError), ("open", KeyringError), ("garbage", KeyringError)],
)
def test_a_ring_that_does_not_fit_is_told_and_a_new_set_mends_it(
    bank: Database, vault: Vault, stored: StoredCredentials, keyring: Path, harm: str, error: type[CredentialError]
) -> None:
    vault.set(ENTRY, given(nobodys_key()))
    if harm == "open":
        keyring.chmod(0o644)
    elif harm == "garbage":
        keyring.write_text("{}")
    else:
        keyring.unlink()
    if harm == "other":
        ensure_keyring(keyring)
    with pytest.raises(error) as refused:
        stored.resolve(ENTRY)
    assert refused.value.hint
    assert told(bank)[-1] == ("credential_unreadable", "hosted", {"reason": refused.value.reason})
    assert [state.fault is None for state in stored.states([ENTRY])] == [False]
    with pytest.raises(error):
        vault.rotate(ENTRY, given(nobodys_key()))
    if harm in ("open", "garbage"):
        with pytest.raises(KeyringError):
            vault.set(ENTRY, given(nobodys_key()))
        keyring.unlink()
    value = nobodys_key()
    assert vault.set(ENTRY, given(value)).replaced
    assert stored.resolve(ENTRY) == value


def test_a_key_that_was_never_stored_is_told(bank: Database, vault: Vault, stored: StoredCredentials) -> None:
    with pytest.raises(CredentialNotStoredError):
        stored.resolve(ENTRY)
    assert told(bank) == [("credential_unreadable", "hosted", {"reason": "not_stored"})]
    vault.set(keyed_entry("other"), given(nobodys_key()))
    with pytest.raises(CredentialNotStoredError):
        vault.rotate(ENTRY, given(nobodys_key()))


def test_removing_what_is_not_there_repeats_no_name(bank: Database, vault: Vault) -> None:
    value = nobodys_key()
    with pytest.raises(NothingStoredError) as refused:
        vault.remove(value)
    assert value not in refused.value.message + everything(bank)
    assert [kind for kind, _, _ in told(bank)] == ["credential_refused"]


@pytest.mark.parametrize(
    ("value", "reason"), [("short", "value_unusable"), ("hosted-1", "value_public"), ("same", "value_unchanged")]
)
def test_a_refused_value_changes_nothing_and_is_told(
    bank: Database, vault: Vault, stored: StoredCredentials, value: str, reason: str
) -> None:
    standing = nobodys_key()
    vault.set(ENTRY, given(standing))
    with pytest.raises(ValueRefusedError):
        vault.rotate(ENTRY, given(standing if value == "same" else value))
    assert stored.resolve(ENTRY) == standing
    assert told(bank)[-1] == ("credential_refused", "hosted", {"action": "rotate", "reason": reason})


def _edits(vault: Vault) -> list[Callable[[], object]]:
    return [
        lambda: vault.set(ENTRY, given(nobodys_key())),
        lambda: vault.rotate(ENTRY, given(nobodys_key())),
        lambda: vault.remove("hosted"),
        vault.rotate_ring,
    ]


@pytest.mark.parametrize("edit", range(4), ids=["set", "rotate", "remove", "rotate-ring"])
def test_no_edit_while_a_batch_that_uses_the_key_is_active(
    bank: Database, vault: Vault, stored: StoredCredentials, home: Path, edit: int
) -> None:
    value = nobodys_key()
    vault.set(ENTRY, given(value))
    batch_id = active_batch(bank)
    with pytest.raises(CredentialBusyError, match=batch_id):
        _edits(vault)[edit]()
    assert stored.resolve(ENTRY) == value
    assert told(bank)[-1][2]["reason"] == "batch_active"
    wished(bank, "pause")
    _edits(vault)[edit]()


def test_a_batch_that_uses_other_models_is_in_nobodys_way(bank: Database, vault: Vault, home: Path) -> None:
    active_batch(bank)
    vault.set(keyed_entry("other"), given(nobodys_key()))


def test_a_paused_batch_of_which_a_worker_still_holds_a_slice_is_active(
    bank: Database, vault: Vault, home: Path
) -> None:
    batch_id = active_batch(bank, wish="pause")
    with bank.transaction() as connection:
        row = {"batch_id": batch_id, "number": 1, "first_position": 1, "last_position": 2, "state": "leased"}
        connection.execute(
            insert(slice_).values(
                **row, lease_owner="w", lease_token=1, lease_expires_at=text("clock_timestamp() + interval '1 hour'")
            )
        )
    with pytest.raises(CredentialBusyError):
        vault.set(ENTRY, given(nobodys_key()))
    with bank.transaction() as connection:
        connection.execute(update(slice_).values(lease_expires_at=text("clock_timestamp() - interval '1 second'")))
    vault.set(ENTRY, given(nobodys_key()))


def test_an_active_batch_that_cannot_be_read_may_use_any_key(bank: Database, vault: Vault, home: Path) -> None:
    active_batch(bank)
    with bank.transaction() as connection:
        connection.execute(text("SET LOCAL session_replication_role = replica"))
        connection.execute(update(batch).values(definition=b"{}"))
    with pytest.raises(CredentialBusyError):
        vault.set(keyed_entry("other"), given(nobodys_key()))


def test_an_edit_waits_for_a_batch_that_is_just_starting_and_then_sees_it(
    bank: Database, vault: Vault, home: Path
) -> None:
    active_batch(bank, wish="rest")
    started, failed = threading.Event(), []

    def edit() -> None:
        started.set()
        try:
            vault.set(ENTRY, given(nobodys_key()))
        except CredentialBusyError as error:
            failed.append(error)

    editor = threading.Thread(target=edit)
    with bank.transaction() as connection:
        credential_lock(connection, ["other", "hosted"])
        editor.start()
        started.wait()
        _until_waiting(bank)
        connection.execute(update(batch_control).values(wish="run"))
    editor.join(timeout=30)
    assert [error.code for error in failed] == ["CRED-BUSY-001"]


def _until_waiting(database: Database) -> None:
    """Until some backend waits for an advisory lock."""
    statement = text("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
    for _ in range(10_000):
        with database.transaction() as connection:
            if connection.execute(statement).scalar_one():
                return
    raise AssertionError("nobody waits")


def test_takers_of_several_locks_never_wait_for_each_other(bank: Database) -> None:
    def take(order: list[str]) -> None:
        for _ in range(50):
            with credential_change(bank, order):
                pass

    keys = [f"m{number}" for number in range(6)]
    takers = [threading.Thread(target=take, args=(order,)) for order in (keys, keys[::-1], keys[3:] + keys[:3])]
    for taker in takers:
        taker.start()
    for taker in takers:
        taker.join(timeout=60)
    assert not any(taker.is_alive() for taker in takers)


def test_states_name_every_stored_key_and_every_model_that_waits_for_one(
    bank: Database, vault: Vault, stored: StoredCredentials
) -> None:
    vault.set(ENTRY, given(nobodys_key()))
    vault.set(keyed_entry("gone"), given(nobodys_key()))
    states = stored.states([ENTRY, keyed_entry("waiting"), keyed_entry("free", stored=False)])
    assert [(state.model_key, state.fault and state.fault.reason) for state in states] == [
        ("gone", None),
        ("hosted", None),
        ("waiting", "not_stored"),
    ]


def test_nothing_of_a_failed_statement_holds_a_key(
    bank: Database, vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    value, statements = nobodys_key(), []
    real = Connection.execute

    def watched(self: Connection, statement: Any, *args: Any, **more: Any) -> Any:
        statements.append(repr(getattr(statement, "compile", lambda: statement)().params))
        return real(self, statement, *args, **more)

    monkeypatch.setattr(Connection, "execute", watched)
    vault.set(ENTRY, given(value))
    assert statements
    assert not any(value in seen for seen in statements)
