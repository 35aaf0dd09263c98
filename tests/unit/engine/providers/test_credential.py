"""A key is found in whatever spelling it comes back."""

from __future__ import annotations

import base64
import json

from hypothesis import given
from hypothesis import strategies as st

from engine.providers.credential import REMOVED, Credential

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
