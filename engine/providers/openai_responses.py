"""The responses wire API: items in, items out, and named events in between (OpenAI API reference, "Responses")."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from dataset.artifacts.artifact import StopReason, Usage
from engine.context.message import Message
from engine.providers.call_failure import ErrorObjectError, UnusableReplyError
from engine.providers.chat_content import content_text
from engine.providers.chat_request import json_body, numbers
from engine.providers.credential import Credential
from engine.providers.event_stream import ServerEvent
from engine.providers.interface import ModelRequest, ReplyCall
from engine.providers.model_entry import ModelEntry
from engine.providers.wire_codec import RawAnswer, RawReport, refuse_unsupported
from engine.providers.wire_document import (
    ContentMeter,
    Document,
    arguments_text,
    event_document,
    inner,
    text_of,
    token_count,
)

_TERMINAL = frozenset({"response.completed", "response.incomplete", "response.failed"})
_DELTAS = frozenset({"response.output_text.delta", "response.refusal.delta", "response.function_call_arguments.delta"})


class OpenAIResponsesCodec:
    """Responses of one model. Nothing is stored at the server: each request carries the whole conversation."""

    path = "/responses"

    def __init__(self, entry: ModelEntry) -> None:
        """UnsupportedParameterError for what this API has no field for (thinking has its effort only)."""
        supported = frozenset({"temperature", "top_p", "reasoning_effort"})
        refuse_unsupported(entry, supported, thinking=frozenset())
        self._entry = entry

    def headers(self, credential: Credential) -> Mapping[str, str]:
        """The key as a bearer token."""
        return credential.headers()

    def request_bytes(self, request: ModelRequest, *, stream: bool) -> bytes:
        """The JSON body."""
        parameters = numbers(self._entry.parameters)
        effort = parameters.pop("reasoning_effort", None)
        body: dict[str, Any] = {
            "model": self._entry.model_id,
            "input": [item for message in request.messages for item in _items(message)],
            "store": False,
            **parameters,
        }
        if effort is not None:
            body["reasoning"] = {"effort": effort}
        if request.max_output_tokens is not None:
            body["max_output_tokens"] = request.max_output_tokens
        if request.tools:
            # Strict is the default of this API alone, and changes which schemas are allowed.
            body["tools"] = [{"type": "function", "strict": False, **inner(tool, "function")} for tool in request.tools]
        if stream:
            body["stream"] = True
        return json_body(body)

    def fold(self) -> ResponsesFold:
        """A fold that `response.completed`, `.incomplete` or `.failed` finishes."""
        return ResponsesFold()

    def report(self, document: Document) -> RawReport:
        """Model, id and usage of a response; its status or the reason why it is incomplete as the finish reason."""
        usage = inner(document, "usage")
        return RawReport(
            usage=Usage(
                input_tokens=token_count(usage.get("input_tokens")),
                output_tokens=token_count(usage.get("output_tokens")),
                cache_read_tokens=token_count(inner(usage, "input_tokens_details").get("cached_tokens")),
                reasoning_tokens=token_count(inner(usage, "output_tokens_details").get("reasoning_tokens")),
            ),
            finish_reason=inner(document, "incomplete_details").get("reason") or document.get("status"),
            model=document.get("model"),
            id=document.get("id"),
        )

    def answer(self, document: Document) -> RawAnswer:
        """Text and calls of the output items; items of other kinds (reasoning) are left out."""
        if document.get("error"):
            raise ErrorObjectError(document)
        status, output = document.get("status"), document.get("output")
        if status not in ("completed", "incomplete", None):
            raise UnusableReplyError("invalid_response", "a response that has not come to its end")
        if output is not None and not isinstance(output, list):
            raise UnusableReplyError("invalid_response", "output that is no list")
        if not output and status != "incomplete":
            raise UnusableReplyError("empty_response", "no output")
        items = [item for item in output or () if isinstance(item, dict)]
        texts = [content_text(item.get("content")) for item in items if item.get("type") == "message"]
        calls = tuple(_call(item) for item in items if item.get("type") == "function_call")
        return RawAnswer(
            text="".join(text or "" for text in texts) if texts or not calls else None,
            calls=calls,
            stop_reason=_stop_reason(document, calls=bool(calls)),
        )


class ResponsesFold:
    """Takes events. The terminal one carries the whole response; what came before tells of one that broke off."""

    def __init__(self) -> None:
        self.finished = False
        self._meter = ContentMeter()
        self._response: Document = {}
        self._items: list[Document] = []

    def add(self, event: ServerEvent) -> None:
        """One event. Servers that close the stream with `[DONE]` have sent a terminal event before it."""
        if event.data.strip() == b"[DONE]":
            return
        document = event_document(event)
        kind = document.get("type")
        if kind == "error" or (kind is None and document.get("error")):
            raise ErrorObjectError(document)
        if isinstance(document.get("response"), dict):
            self._response = document["response"]
        if kind in _DELTAS:
            self._meter.count(text_of(document.get("delta")))
        elif kind == "response.output_item.done":
            self._items.append(inner(document, "item"))
        elif kind in _TERMINAL:
            if kind == "response.failed":
                raise ErrorObjectError({"error": self._response.get("error") or {}})
            if "response" not in document:
                raise UnusableReplyError("invalid_stream", "a final event without its response")
            self.finished = True

    def document(self) -> Document:
        """The response. Where its terminal form has no output, the items that came one by one are its output."""
        if self._response.get("output") or not self._items:
            return self._response
        return {**self._response, "output": self._items}


def _items(message: Message) -> Iterable[Document]:
    """A message as the items that this API has for it: text, and each call or result apart."""
    if message.role == "tool":
        yield {"type": "function_call_output", "call_id": message.tool_call_id, "output": message.content}
        return
    if message.content or not message.tool_calls:
        yield {"role": message.role, "content": message.content}
    for call in message.tool_calls:
        yield {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.arguments}


def _call(item: Document) -> ReplyCall:
    return ReplyCall(
        id=text_of(item.get("call_id")),
        name=text_of(item.get("name")),
        arguments=arguments_text(item.get("arguments", "")),
    )


def _stop_reason(document: Document, *, calls: bool) -> StopReason:
    reason = inner(document, "incomplete_details").get("reason")
    if reason == "content_filter":
        return "content_filter"
    if reason == "max_output_tokens" or document.get("status") == "incomplete":
        return "length"
    return "tool_calls" if calls else "stop"
