"""Text from outside comes back as it was held, whatever it was."""

from __future__ import annotations

import pytest

from dataset.artifacts.outside_text import Base64Text, keep, written


@pytest.mark.parametrize("text", ["", "plain", "基金 😀", "half \ud800 a character", "\udc00"])
def test_what_was_kept_is_read_back_as_it_was_held(text: str) -> None:
    assert written(keep(text)) == text


def test_bytes_that_never_were_text_are_read_with_a_mark() -> None:
    assert written(keep(b"\xff\xfe")) == "\ufffd\ufffd"


def test_what_says_that_it_is_base64_and_is_not_holds_nothing() -> None:
    assert written(Base64Text(data="not base64")) == ""
