"""Text of earlier turns in the form that any server can read: what is counted is what is sent."""

from __future__ import annotations

import json

from dataset.canonical import CanonicalError, read_strict

MALFORMED = "malformed_arguments"
"""Under this name a model finds again what it wrote instead of a JSON object."""


def wire_text(text: str) -> str:
    """Text with U+FFFD for each lone surrogate: a model may write half a character, but none can be sent."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def wire_arguments(written: str) -> str:
    """The arguments of an earlier call: as the model wrote them where they are a JSON object, else inside one.

    Servers parse the arguments in a conversation again, and answer 400 or 500 for the whole request where they are
    no JSON; the model would never see that its call was refused.
    """
    try:
        is_object = isinstance(read_strict(written.encode(), allow_floats=True), dict)
    except (CanonicalError, UnicodeEncodeError):
        is_object = False
    return written if is_object else json.dumps({MALFORMED: wire_text(written)}, ensure_ascii=False)
