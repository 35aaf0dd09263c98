from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from publisher.scanning.layers.backslash import ESCAPES, unescaped

MANY_ESCAPES = st.lists(
    st.sampled_from(
        [b"\\", b"\\\\", b"n", b'"', b"u", b"0041", b"\\ud83d", b"\\ude00", b"x41", b"/", b"\n", b"\0", b"z"]
    ),
    max_size=24,
).map(b"".join)


@given(st.text(st.characters(codec="utf-8")))
def test_a_json_string_is_decoded(text: str) -> None:
    assert unescaped(json.dumps(text)[1:-1].encode()) == text.encode("utf-8", "surrogatepass")


@given(MANY_ESCAPES)
def test_the_fast_way_makes_what_the_plain_one_makes(data: bytes) -> None:
    assert unescaped(data) == ESCAPES.apply(data)


@pytest.mark.parametrize(("text", "read"), [(b"\\x67\\u0068", b"gh"), (b"ab\\\ncd", b"abcd"), (b"\\q\\", b"q\\")])
def test_escapes_of_source_code_are_decoded(text: bytes, read: bytes) -> None:
    assert unescaped(text) == read
