from __future__ import annotations

import json
from base64 import b64encode, urlsafe_b64encode
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from publisher.scanning.errors import ScanError
from publisher.scanning.rules.known_values import KnownValues

VALUES = st.text(st.characters(codec="utf-8", exclude_categories=["Z", "C"]), min_size=8, max_size=40)


def found(value: str, text: str) -> bool:
    return any(True for _ in KnownValues({"SOME_VARIABLE": value}).find(text.encode()))


@given(VALUES, st.binary(max_size=5), st.binary(max_size=5))
def test_value_inside_a_larger_base64_blob_is_found_at_any_alignment(value: str, before: bytes, after: bytes) -> None:
    blob = before + value.encode() + after
    for encode in (b64encode, urlsafe_b64encode):
        text = encode(blob).decode()
        assert found(value, text)
        assert found(value, text.rstrip("="))


@given(VALUES)
def test_value_is_found_percent_encoded_json_escaped_and_in_hex(value: str) -> None:
    full = "".join(f"%{byte:02x}" for byte in value.encode())
    forms = [value, full, full.upper(), quote(value, safe=""), quote(value), quote_plus(value)]
    forms += [
        json.dumps(value),
        json.dumps(value, ensure_ascii=False),
        value.encode().hex(),
        value.encode().hex().upper(),
    ]
    assert [form for form in forms if not found(value, f"x{form}y")] == []


def test_percent_encoding_is_found_with_lower_case_digits() -> None:
    value = "ab/cd+ef=gh"
    assert found(value, quote(value, safe="").lower())


@given(VALUES)
def test_hits_never_show_the_value(value: str) -> None:
    rule = KnownValues({"SOME_VARIABLE": value})
    hits = list(rule.find(value.encode()))
    assert hits
    assert not any(hit.shown or value in hit.label for hit in hits)
    assert repr(rule) == "KnownValues(…)"


def test_white_space_around_a_value_does_not_hide_it() -> None:
    assert found(" abcd1234efgh\n", "x=abcd1234efgh;")


def test_other_text_is_not_flagged() -> None:
    assert not found("abcd1234efgh", "ABCD1234EFGH abcd1234efg " + b64encode(b"abcd1234efg.").decode())


@pytest.mark.parametrize("value", ["", "short", "1234567", "       1234567    ", "x" * 8193])
def test_value_that_cannot_be_looked_for_is_refused_without_being_shown(value: str) -> None:
    with pytest.raises(ScanError, match="SOME_VARIABLE") as refusal:
        KnownValues({"SOME_VARIABLE": value})
    assert refusal.value.code == "SCAN-VALUE-001"
    assert not value.strip() or value.strip() not in f"{refusal.value} {refusal.value.hint}"


def test_variable_named_after_its_value_is_refused() -> None:
    with pytest.raises(ScanError) as refusal:
        KnownValues({"MY_abcd1234": "abcd1234"})
    assert "abcd1234" not in f"{refusal.value} {refusal.value.hint}"
