"""Text from outside comes back as it was held, whatever it was."""

from __future__ import annotations

from base64 import b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from dataset.artifacts.outside_text import Base64Text, keep, shown, written


@pytest.mark.parametrize("text", ["", "plain", "基金 😀", "half \ud800 a character", "\udc00"])
def test_what_was_kept_is_read_back_as_it_was_held(text: str) -> None:
    assert written(keep(text)) == text


def test_bytes_that_never_were_text_are_read_with_a_mark() -> None:
    assert written(keep(b"\xff\xfe")) == "\ufffd\ufffd"


@pytest.mark.parametrize(
    "data",
    [
        "é",
        "not base64",
        "%",
        "/w",
        "/w=",
        "/w===",
        "/x==",
        "_w==",
        "/w==\n",
        " /w==",
        "/w==/w==",
        "",
        b64encode(b"text").decode(),
        b64encode("基金".encode()).decode(),
    ],
)
def test_what_says_that_it_is_base64_and_no_run_would_write_is_refused(data: str) -> None:
    with pytest.raises(ValidationError):
        Base64Text(data=data)


@given(st.binary())
def test_what_is_kept_is_what_the_record_takes(raw: bytes) -> None:
    found = keep(raw)
    if isinstance(found, Base64Text):
        assert Base64Text(data=found.data).raw == raw
        assert shown(found) == raw.decode("utf-8", "replace")
    else:
        assert found.encode() == raw
        with pytest.raises(ValidationError):
            Base64Text(data=b64encode(raw).decode())
