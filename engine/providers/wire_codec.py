"""What differs between two wire APIs, and nothing else: how a request is written and how an answer is read.

A codec knows neither sockets nor retries nor the key. What it returns is raw: `reply_reader` cleans it, in one place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from dataset.artifacts.artifact import StopReason, Usage
from dataset.artifacts.definition import Thinking
from dataset.errors import GlassbenchError
from engine.providers.credential import Credential
from engine.providers.event_stream import ServerEvent
from engine.providers.interface import ModelRequest, ReplyCall
from engine.providers.model_entry import ModelEntry
from engine.providers.wire_document import Document


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


class UnsupportedParameterError(GlassbenchError):
    """A setting that the model's wire API can't be told: leaving it out would measure another model than is named."""

    code = "MODEL-PARAM-001"

    def __init__(self, entry: ModelEntry, name: str) -> None:
        super().__init__(
            f"model {entry.key!r} sets {name}, which the wire API {entry.wire_api} can't send",
            hint=f"take {name} out of the model's entry",
        )


def refuse_unsupported(entry: ModelEntry, supported: frozenset[str], *, thinking: frozenset[Thinking]) -> None:
    """UnsupportedParameterError where the entry sets a parameter or a thinking mode that isn't supported."""
    for name in entry.parameters.sent():
        if name not in supported:
            raise UnsupportedParameterError(entry, name)
    if entry.thinking not in (None, "provider_default", *thinking):
        raise UnsupportedParameterError(entry, f'thinking = "{entry.thinking}"')
