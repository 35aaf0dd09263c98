"""Text from outside, kept as it was received: a string, or base64 where it isn't valid Unicode."""

from __future__ import annotations

import base64
from typing import Annotated, Literal

from pydantic import AfterValidator

from dataset.record import Record


def _without_text(data: str) -> str:
    """Held to what `keep` writes: one spelling of each text, and none for what has a plain one."""
    raw = base64.b64decode(data, validate=True) if data.isascii() else b""
    if base64.b64encode(raw).decode("ascii") != data:
        raise ValueError("not base64 in its one standard spelling")
    if _is_text(raw):
        raise ValueError("base64 of valid UTF-8, which is kept as a string")
    return data


def _is_text(raw: bytes) -> bool:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


class Base64Text(Record):
    """Text that has no UTF-8 form (lone surrogates, raw bytes), as base64 of its bytes (RFC 4648, section 4)."""

    encoding: Literal["base64"] = "base64"
    data: Annotated[str, AfterValidator(_without_text)]

    @property
    def raw(self) -> bytes:
        """The bytes that were received."""
        return base64.b64decode(self.data)


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
    return kept.raw.decode("utf-8", "replace")


def written(kept: OutsideText) -> str:
    """The text as it was held when it was kept, with its lone surrogates."""
    return kept if isinstance(kept, str) else held(kept.raw)


def held(raw: bytes) -> str:
    """Bytes as the text that they were kept of, with its lone surrogates."""
    try:
        return raw.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:  # bytes that never were text
        return raw.decode("utf-8", "replace")
