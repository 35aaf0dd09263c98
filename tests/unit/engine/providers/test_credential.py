"""A key is found in whatever spelling it comes back."""

from __future__ import annotations

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.providers.credential import (
    REMOVED,
    Credential,
    CredentialMissingError,
    CredentialSources,
    EnvironmentCredentials,
)
from engine.providers.model_entry import ModelEntry
from tests.factories.stored_keys import keyed_entry, nobodys_key

keys = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), min_size=8, max_size=60)
around = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), max_size=7)


@given(key=keys, before=around, after=around)
def test_key_is_removed_in_plain_json_percent_and_base64_form(key: str, before: str, after: str) -> None:
    credential = Credential(key, model_key="m")
    once = json.dumps(key)[1:-1]
    spelled = (
        key,
        once,
        json.dumps(once)[1:-1],
        "".join(f"%{ord(c):02X}" for c in key),
        "".join(f"\\u{ord(c):04x}" for c in key),
    )
    for text in spelled:
        assert REMOVED in credential.remove_from(before + text + after)
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        assert REMOVED in credential.remove_from(encode(f"{before}{key}{after}".encode()).decode())


@given(key=keys, text=st.text(max_size=80))
def test_text_without_the_key_is_left_alone(key: str, text: str) -> None:
    kept = text.replace("%", "").replace("\\", "")
    if key not in kept:
        assert Credential(key, model_key="m").remove_from(kept) == kept


def test_no_key_removes_nothing_and_sends_nothing() -> None:
    credential = Credential(None, model_key="m")
    assert (credential.remove_from("text"), credential.headers()) == ("text", {})


def test_credential_has_no_representation_that_shows_it() -> None:
    key = "v3ry-" + "secret"
    assert key not in repr(Credential(key, model_key="m"))


@pytest.mark.parametrize("value", [None, ""])
def test_a_variable_that_is_not_set_is_named(value: str | None) -> None:
    entry = keyed_entry(stored=False).model_copy(update={"credential_env": "THE_KEY"})
    environ = {} if value is None else {"THE_KEY": value}
    with pytest.raises(CredentialMissingError, match="THE_KEY"):
        EnvironmentCredentials(environ).resolve(entry)


def test_each_model_gets_its_key_from_the_source_that_its_entry_names() -> None:
    sources = CredentialSources(environment=EnvironmentCredentials({"THE_KEY": "e" * 9}), stored=FixedSource("s" * 9))
    free = keyed_entry(stored=False)
    assert sources.resolve(free) is None
    assert sources.resolve(free.model_copy(update={"credential_env": "THE_KEY"})) == "e" * 9
    assert sources.resolve(keyed_entry()) == "s" * 9


def test_no_source_has_a_representation_that_shows_a_key() -> None:
    value = nobodys_key()
    assert value not in repr(
        CredentialSources(environment=EnvironmentCredentials({"A": value}), stored=FixedSource(""))
    )


class FixedSource:
    def __init__(self, value: str) -> None:
        self._value = value

    def resolve(self, entry: ModelEntry) -> str | None:
        return self._value


@pytest.mark.parametrize(
    "key", ["s" + "k-0123456789", "\\" * 12 + "abc", '"/' * 4, "%" * 8], ids=["plain", "run", "signs", "percent"]
)
@pytest.mark.parametrize(
    "text",
    ["\\" * 2_000_000, "s" + "\\" * 2_000_000, ("s" + "\\" * 999) * 2_000, "%" * 2_000_000, "\\u0073" * 300_000],
    ids=["backslashes", "begun", "many runs", "percent", "escapes"],
)
def test_text_made_to_be_slow_is_read_once(key: str, text: str) -> None:
    """Read in more than proportion to its length, one of these would take hours."""
    assert Credential(key, model_key="m").remove_from(text) in (text, REMOVED, text.replace(key, REMOVED))
