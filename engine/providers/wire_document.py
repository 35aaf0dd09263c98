"""The JSON documents of wire APIs: how one is taken from an event, and what may be taken from one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.providers.call_failure import UnusableReplyError
from engine.providers.event_stream import ServerEvent
from engine.providers.outside_json import UnreadableJsonError, json_text, read_outside_json

Document = dict[str, Any]
CONTENT_LIMIT = 4 * 1024 * 1024
"""Bytes of text, names and arguments that one streamed reply may have, in UTF-8."""
MOST_CALLS = 256
"""Tool calls (or blocks) that one reply may hold: each is governed, recorded and answered, however short it is."""
MOST_TOKENS = 1_000_000_000
"""Far beyond any context window."""


def event_document(event: ServerEvent) -> Document:
    """The JSON object in an event; UnusableReplyError `invalid_stream` where it holds none."""
    fault = "an event that is no object"
    try:
        document = read_outside_json(event.data)
    except UnreadableJsonError as error:
        fault = f"an event that is {error}"
    else:
        if isinstance(document, dict):
            return document
    raise UnusableReplyError("invalid_stream", fault)


def inner(document: Mapping[str, Any], name: str) -> Document:
    """The object under a name, empty where there is none."""
    found = document.get(name)
    return found if isinstance(found, dict) else {}


def text_of(value: Any) -> str:
    """A text, empty where there is none."""
    return value if isinstance(value, str) else ""


def arguments_text(value: Any) -> str:
    """The arguments of a call as written, or the canonical JSON of what stands in their place."""
    return value if isinstance(value, str) else json_text(value)


def token_count(value: Any) -> int | None:
    """A reported number of tokens, None where it is no count, or more than any model takes in one call: a run's sum of
    such figures, and a ledger's, would leave the numbers that can be exchanged."""
    return value if type(value) is int and 0 <= value <= MOST_TOKENS else None


@dataclass(kw_only=True, slots=True)
class ContentMeter:
    """Counts what one streamed answer says."""

    limit: int = CONTENT_LIMIT
    _bytes: int = field(default=0, init=False)
    _parts: int = field(default=0, init=False)

    def begin_part(self) -> None:
        """A call or block begins, however little it says; UnusableReplyError `invalid_stream` beyond MOST_CALLS."""
        self._parts += 1
        if self._parts > MOST_CALLS:
            raise UnusableReplyError("invalid_stream", f"more than {MOST_CALLS} calls or blocks")

    def count(self, text: str) -> str:
        """The text, counted; UnusableReplyError `invalid_stream` beyond the limit."""
        self._bytes += len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
        if self._bytes > self.limit:
            raise UnusableReplyError("invalid_stream", f"more than {self.limit // 1024**2} MiB of text and arguments")
        return text
