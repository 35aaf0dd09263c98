"""The messages wire API: content blocks in and out (Anthropic API reference, "Messages" and "Streaming messages")."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dataset.artifacts.artifact import StopReason, Usage
from engine.providers.anthropic_request import messages_request_bytes
from engine.providers.anthropic_stream import MessagesFold
from engine.providers.call_failure import ErrorObjectError, UnusableReplyError
from engine.providers.credential import Credential
from engine.providers.interface import ModelRequest, ReplyCall
from engine.providers.model_entry import ModelEntry
from engine.providers.wire_codec import RawAnswer, RawReport, refuse_unsupported
from engine.providers.wire_document import Document, arguments_text, inner, text_of, token_count

API_VERSION = "2023-06-01"
_STOP_REASONS: Mapping[Any, StopReason] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "content_filter",
}


class AnthropicMessagesCodec:
    """Messages of one model."""

    path = "/messages"

    def __init__(self, entry: ModelEntry) -> None:
        """UnsupportedParameterError for what this API has no field for.

        Thinking can't be enabled either: a conversation with calls would have to hand the thoughts back, and the
        project keeps none.
        """
        refuse_unsupported(entry, frozenset({"temperature", "top_p"}), thinking=frozenset({"disabled"}))
        self._entry = entry

    def headers(self, credential: Credential) -> Mapping[str, str]:
        """The key in a header of its own, and the version of the API that this module speaks."""
        return {"anthropic-version": API_VERSION, **credential.headers("x-api-key", "")}

    def request_bytes(self, request: ModelRequest, *, stream: bool) -> bytes:
        """The JSON body; UnusableReplyError where no output limit is set, which this API demands."""
        return messages_request_bytes(self._entry, request, stream=stream)

    def fold(self) -> MessagesFold:
        """A fold that `message_stop` finishes."""
        return MessagesFold()

    def report(self, document: Document) -> RawReport:
        """Model, id, usage and stop reason of a message."""
        return RawReport(
            usage=usage_of(inner(document, "usage")),
            finish_reason=document.get("stop_reason"),
            model=document.get("model"),
            id=document.get("id"),
        )

    def answer(self, document: Document) -> RawAnswer:
        """The text and tool_use blocks; blocks of other kinds (thinking) are left out."""
        if document.get("type") == "error" or document.get("error"):
            raise ErrorObjectError(document)
        content = document.get("content")
        if content is None:
            raise UnusableReplyError("empty_response", "no message")
        if not isinstance(content, list):
            raise UnusableReplyError("invalid_response", "content that is no list of blocks")
        blocks = [block for block in content if isinstance(block, dict)]
        texts = [text_of(block.get("text")) for block in blocks if block.get("type") == "text"]
        calls = tuple(_call(block) for block in blocks if block.get("type") == "tool_use")
        stop = _STOP_REASONS.get(document.get("stop_reason"), "tool_calls" if calls else "stop")
        return RawAnswer(text="".join(texts) if texts or not calls else None, calls=calls, stop_reason=stop)


def usage_of(usage: Document) -> Usage:
    """The tokens reported. This API counts what it read from or wrote to its cache apart from the other input; here,
    as everywhere, `input_tokens` is all of the input and `cache_read_tokens` a part of it."""
    beside = [usage.get("cache_read_input_tokens"), usage.get("cache_creation_input_tokens")]
    parts = [token_count(usage.get("input_tokens")), *(token_count(p) for p in beside if p is not None)]
    known = [part for part in parts if part is not None]
    return Usage(
        input_tokens=token_count(sum(known)) if len(known) == len(parts) else None,
        output_tokens=token_count(usage.get("output_tokens")),
        cache_read_tokens=token_count(usage.get("cache_read_input_tokens")),
    )


def _call(block: Document) -> ReplyCall:
    return ReplyCall(
        id=text_of(block.get("id")),
        name=text_of(block.get("name")),
        arguments=arguments_text(block.get("input", "")),
    )
