"""Canonical bytes: equal to RFC 8785 where a value has them, refused with the place named where not."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import rfc8785
from hypothesis import given, settings
from hypothesis import strategies as st

from dataset.canonical import (
    MAX_DEPTH,
    MAX_INTEGER,
    CanonicalError,
    _examined_bytes,
    _read_loose,
    canonical_bytes,
    content_hash,
    read_canonical,
    read_canonical_members,
    read_strict,
)

VECTORS = Path(__file__).resolve().parents[4] / "shared" / "corpora" / "jcs"

_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
_json = st.recursive(
    st.none() | st.booleans() | st.integers(-MAX_INTEGER, MAX_INTEGER) | _text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_text, inner, max_size=4),
    max_leaves=20,
)


@given(_json)
@settings(max_examples=300)
def test_canonical_bytes_equal_the_reference_implementation(value: Any) -> None:
    assert canonical_bytes(value) == rfc8785.dumps(value)


# What has no canonical form, or has one only by the longer way.
_odd = st.floats() | st.integers(min_value=2**53) | st.just("\ud800") | st.just(b"x") | st.just(Decimal(1))
_any = st.recursive(
    st.none() | st.booleans() | st.integers(-MAX_INTEGER, MAX_INTEGER) | _text | _odd,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner)
        | st.dictionaries(
            _text | st.integers() | st.sampled_from(["\udfff", "\ufb33", "\U0001f600"]), inner, max_size=3
        )
    ),
    max_leaves=8,
)


@given(_any, st.booleans())
@settings(max_examples=500)
def test_the_short_way_gives_what_a_look_at_every_part_gives(value: Any, floats: bool) -> None:
    assert _said(canonical_bytes, value, floats) == _said(_examined_bytes, value, floats)


def _said(way: Callable[..., Any], value: Any, floats: bool) -> Any:
    try:
        return way(value, allow_floats=floats)
    except CanonicalError as error:
        return error.message


@given(_json, st.sampled_from([None, 1]), st.booleans())
def test_only_the_canonical_spelling_is_read_as_canonical(value: Any, indent: int | None, ascii_only: bool) -> None:
    data = json.dumps(value, indent=indent, ensure_ascii=ascii_only, separators=(",", ":")).encode()
    if data == rfc8785.dumps(value):
        assert read_canonical(data) == value
    else:
        with pytest.raises(CanonicalError, match="not in RFC 8785 canonical form"):
            read_canonical(data)


@given(_json | st.lists(st.floats(allow_nan=False)), st.booleans(), st.booleans())
def test_reading_is_as_strict_the_short_way(value: Any, floats: bool, spaced: bool) -> None:
    data = json.dumps(value, separators=None if spaced else (",", ":"), ensure_ascii=False).encode()
    assert _said(read_strict, data, floats) == _said(_read_loose, data, floats)


_objects = st.dictionaries(_text | st.sampled_from(["\ufb33", "\U0001f600", 'a"b']), _json | st.floats(), max_size=4)


@given(_objects | _json, st.booleans())
def test_an_object_read_with_its_members_is_the_object_and_they_are_canonical(value: Any, spaced: bool) -> None:
    data = json.dumps(value, separators=None if spaced else (",", ":"), ensure_ascii=False).encode()
    found = read_canonical_members(data)
    if found is not None:
        document, members = found
        assert document == read_canonical(data)
        assert members == {name: canonical_bytes(part) for name, part in document.items()}


def test_a_plain_object_is_read_with_its_members_whatever_its_texts_hold() -> None:
    data = canonical_bytes({"b": [1, {"c": None}], "a": "\U0001f600 \ufb33"})
    found = read_canonical_members(data)
    assert found is not None
    assert found[1] == {"a": canonical_bytes("\U0001f600 \ufb33"), "b": b'[1,{"c":null}]'}
    for other in (b'{"b":1,"a":2}', b'{"a":1,"a":1}', b'{"a":1.5}', b'{"a":1} ', b"[]", b"{", b'{"a":' + b"[" * 70):
        assert read_canonical_members(other) is None


@given(_json)
def test_reading_back_gives_the_same_value(value: Any) -> None:
    assert read_canonical(canonical_bytes(value)) == value


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_take_their_rfc_8785_form_where_they_are_allowed(number: float) -> None:
    assert canonical_bytes([number], allow_floats=True) == rfc8785.dumps([number])


@pytest.mark.skipif(not VECTORS.is_dir(), reason="the JCS vectors are not beside this checkout (shared/corpora/jcs)")
@pytest.mark.parametrize("name", ["arrays", "french", "structures", "unicode", "values", "weird"])
def test_published_vectors_give_their_published_bytes(name: str) -> None:
    value = json.loads((VECTORS / "input" / f"{name}.json").read_bytes())
    assert canonical_bytes(value, allow_floats=True) == (VECTORS / "output" / f"{name}.json").read_bytes()


def test_keys_beyond_the_basic_plane_sort_by_utf_16_code_units() -> None:
    assert canonical_bytes({"\ufb33": 1, "\U0001f600": 2}) == '{"\U0001f600":2,"\ufb33":1}'.encode()


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ({"a": [1, {"b": 2**53}]}, "/a/1/b"),
        ({"a": 1.5}, "/a"),
        ({"a/b": {"c~d": float("nan")}}, "/a~1b/c~0d"),
        (["\ud800"], "/0"),
        ({"\udfff": 1}, "/\\udfff"),
        ({1: 2}, "key 1"),
        ({"a": {1, 2}}, "/a"),
        ({"a": b"x"}, "/a"),
    ],
)
def test_what_has_no_canonical_form_is_refused_with_its_place(value: Any, place: str) -> None:
    with pytest.raises(CanonicalError) as caught:
        canonical_bytes(value)
    assert place in caught.value.message


def test_nesting_beyond_the_limit_is_refused() -> None:
    value: Any = 0
    for _ in range(MAX_DEPTH + 1):
        value = [value]
    with pytest.raises(CanonicalError, match="nested deeper"):
        canonical_bytes(value)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"a":1,"a":2}', "duplicate key 'a'"),
        ('{"b":{"a":1,"a":1}}', "duplicate key 'a'"),
        ("[NaN]", "NaN is not JSON"),
        ("[-Infinity]", "Infinity is not JSON"),
        ("[1e400]", "floating-point"),
        ("[9007199254740993]", "2^53"),
        ('["\\ud800"]', "lone surrogate at /0"),
        ("\ufeff{}", "BOM"),
        ('{"a":', "line 1 column"),
        ("", "not valid JSON"),
        ("[" * 2_000 + "]" * 2_000, "nested deeper"),
        ("[" * 100_000, "JSON"),
        ("[" + "9" * 10_000 + "]", "JSON"),
    ],
)
def test_loose_json_is_refused_when_read(text: str, reason: str) -> None:
    with pytest.raises(CanonicalError) as caught:
        read_strict(text.encode())
    assert reason in caught.value.message


def test_bytes_that_are_not_utf_8_are_refused_with_their_offset() -> None:
    with pytest.raises(CanonicalError, match="byte 2"):
        read_strict(b'["\xff"]')


@pytest.mark.parametrize(
    "spelling",
    [
        b'{"a":1,"a":1}',
        b"[1]\n",
        b"[1.5]",
        b"[1e2]",
        b'["\\/"]',
        b'{"b":1,"a":2}',
        b'{"a": 1}',
        b'["\\u0041"]',
        b"[1.0]",
        b"[-0]",
        b"\xef\xbb\xbf[]",
    ],
)
def test_another_spelling_of_the_same_value_is_not_canonical(spelling: bytes) -> None:
    with pytest.raises(CanonicalError):
        read_canonical(spelling)


def test_a_known_value_has_its_known_hash() -> None:
    expected = "aa58fba8483623bed37c1b02edfccbdd9a53123837c20bfa4cb4049993a2872e"
    assert content_hash({"b": 1, "a": "é"}) == expected
