"""What differs between two wire APIs, and nothing else: how a request is written and how an answer is read.

A codec knows neither sockets nor retries nor the key. What it returns is raw: `reply_reader` cleans it, in one place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from dataset.artifacts.artifact import StopReason, Usage
from dataset.canonical import MAX_INTEGER
from engine.providers.call_failure import UnusableReplyError
from engine.providers.credential import Credential
from engine.providers.event_stream import ServerEvent
from engine.providers.interface import ModelRequest, ReplyCall
from engine.providers.outside_json import UnreadableJsonError, read_outside_json

Document = dict[str, Any]
CONTENT_LIMIT = 4 * 1024 * 1024
"""Bytes of text and arguments that one streamed reply may have, in UTF-8."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RawReport:
    """What a document says besides the answer, unchecked."""

    usage: Usage = field(default_factory=Usage)
    finish_reason: Any = None
    model: Any = None
    id: Any = None
    fingerprint: Any = None


@dataclass(frozen=True, kw_only=True, slots=True)
class RawAnswer:
    """The answer in a document, unchecked. `text` never holds reasoning; it is None where there are only calls."""

    text: str | None
    calls: tuple[ReplyCall, ...]
    stop_reason: StopReason


class StreamFold(Protocol):
    """Puts a streamed answer together."""

    @property
    def finished(self) -> bool:
        """Whether the event came that says that the answer is complete. A finish reason isn't one."""
        ...

    def add(self, event: ServerEvent) -> None:
        """Takes one event. UnusableReplyError for one that is malformed, ErrorObjectError for an error in it."""
        ...

    def document(self) -> Document:
        """What has come so far, in the form that the API has without a stream."""
        ...


class WireCodec(Protocol):
    """One wire API for one model."""

    @property
    def path(self) -> str:
        """What follows the base URL."""
        ...

    def headers(self, credential: Credential) -> Mapping[str, str]:
        """The headers that this API demands, those with the key among them."""
        ...

    def request_bytes(self, request: ModelRequest, *, stream: bool) -> bytes:
        """The JSON body. ValueError where a message can't be encoded, UnusableReplyError for what can't be asked."""
        ...

    def fold(self) -> StreamFold:
        """A fresh fold for one streamed answer."""
        ...

    def report(self, document: Document) -> RawReport:
        """What a document, complete or not, says besides the answer."""
        ...

    def answer(self, document: Document) -> RawAnswer:
        """The answer. UnusableReplyError where there is none, ErrorObjectError where an error stands in its place."""
        ...


@dataclass(kw_only=True, slots=True)
class ContentMeter:
    """Counts the text and arguments of one streamed answer."""

    limit: int = CONTENT_LIMIT
    _bytes: int = field(default=0, init=False)

    def count(self, text: str) -> str:
        """The text, counted; UnusableReplyError `invalid_stream` beyond the limit."""
        self._bytes += len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
        if self._bytes > self.limit:
            raise UnusableReplyError("invalid_stream", f"more than {self.limit // 1024**2} MiB of text and arguments")
        return text


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


def token_count(value: Any) -> int | None:
    """A reported number of tokens, None where it is no count."""
    return value if type(value) is int and 0 <= value <= MAX_INTEGER else None


def inner(document: Any, name: str) -> Document:
    """The object under a name, empty where there is none."""
    found = document.get(name) if isinstance(document, dict) else None
    return found if isinstance(found, dict) else {}
