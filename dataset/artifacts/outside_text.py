"""Text from outside, kept as it was received: a string, or base64 where it isn't valid Unicode."""

from __future__ import annotations

import base64
from typing import Literal

from dataset.record import Record


class Base64Text(Record):
    """Text that has no UTF-8 form (lone surrogates, raw bytes), as base64 of its bytes."""

    encoding: Literal["base64"] = "base64"
    data: str


OutsideText = str | Base64Text


def keep(text: str | bytes) -> OutsideText:
    """The form in which text from outside is recorded; nothing is replaced or dropped."""
    if isinstance(text, str) and text.isascii():
        return text
    raw = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return Base64Text(data=base64.b64encode(raw).decode("ascii"))


def shown(kept: OutsideText) -> str:
    """The text as a person may read it: what has no Unicode form appears as U+FFFD."""
    if isinstance(kept, str):
        return kept
    return base64.b64decode(kept.data).decode("utf-8", "replace")


def written(kept: OutsideText) -> str:
    """The text as it was held when it was kept, with its lone surrogates; nothing where what says base64 isn't."""
    if isinstance(kept, str):
        return kept
    try:
        raw = base64.b64decode(kept.data)
    except ValueError:
        return ""
    try:
        return raw.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:  # bytes that never were text
        return raw.decode("utf-8", "replace")
