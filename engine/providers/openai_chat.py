"""The chat-completions wire API with native tool calls, as OpenAI and most other servers speak it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dataset.artifacts.artifact import StopReason, Usage
from engine.providers.call_failure import ErrorObjectError, UnusableReplyError
from engine.providers.chat_content import content_text
from engine.providers.chat_request import chat_request_bytes
from engine.providers.chat_stream import ChatFold
from engine.providers.credential import Credential
from engine.providers.interface import ModelRequest, ReplyCall
from engine.providers.model_entry import ModelEntry
from engine.providers.outside_json import json_text
from engine.providers.wire_codec import RawAnswer, RawReport
from engine.providers.wire_document import Document, arguments_text, inner, text_of, token_count


class OpenAIChatCodec:
    """Chat completions of one model."""

    path = "/chat/completions"

    def __init__(self, entry: ModelEntry) -> None:
        self._entry = entry

    def headers(self, credential: Credential) -> Mapping[str, str]:
        """The key as a bearer token."""
        return credential.headers()

    def request_bytes(self, request: ModelRequest, *, stream: bool) -> bytes:
        """The JSON body; a stream is asked to end with the usage."""
        return chat_request_bytes(self._entry, request, stream=stream)

    def fold(self) -> ChatFold:
        """A fold that `[DONE]` finishes."""
        return ChatFold()

    def report(self, document: Document) -> RawReport:
        """Model, id, usage and finish reason of a `chat.completion`."""
        choice = _choice(document)
        return RawReport(
            usage=usage_of(document.get("usage")),
            finish_reason=choice.get("finish_reason") if choice is not None else None,
            model=document.get("model"),
            id=document.get("id"),
            fingerprint=document.get("system_fingerprint"),
        )

    def answer(self, document: Document) -> RawAnswer:
        """The first choice's message. Neither text nor calls is an answer with empty text: see decision 8."""
        if document.get("error"):
            raise ErrorObjectError(document)
        choices = document.get("choices")
        choice = _choice(document)
        if choice is None and choices:
            raise UnusableReplyError("invalid_response", "choices that are no list of objects")
        if choice is not None and choice.get("error"):
            raise ErrorObjectError(choice)
        message = choice.get("message") if choice is not None else None
        if choice is None or message is None:
            raise UnusableReplyError("empty_response", "no choice that has a message")
        if not isinstance(message, dict):
            raise UnusableReplyError("invalid_response", "a message that is no object")
        text, calls = message_text(message), _calls(message)
        return RawAnswer(
            text=text if text is not None or calls else "",
            calls=calls,
            stop_reason=stop_reason_of(choice.get("finish_reason"), calls=bool(calls)),
        )


def message_text(message: Document) -> str | None:
    """The text of a message: a string, or the text parts of a list joined; a refusal where there is no other text.

    Reasoning (`reasoning_content`, `reasoning`, parts of other types) is left out. None where there is no text.
    """
    content = content_text(message.get("content"))
    refusal = message.get("refusal")
    return refusal if not content and isinstance(refusal, str) and refusal else content


def stop_reason_of(finish: Any, *, calls: bool) -> StopReason:
    """Why the model stopped, in our words. A reply with calls asks for tools, whatever the server calls that."""
    if finish == "length":
        return "length"
    if finish == "content_filter":
        return "content_filter"
    return "tool_calls" if calls else "stop"


def usage_of(usage: Any) -> Usage:
    """The tokens reported; None for each figure that is missing or no count."""
    found = usage if isinstance(usage, dict) else {}
    return Usage(
        input_tokens=token_count(found.get("prompt_tokens")),
        output_tokens=token_count(found.get("completion_tokens")),
        cache_read_tokens=token_count(inner(found, "prompt_tokens_details").get("cached_tokens")),
        reasoning_tokens=token_count(inner(found, "completion_tokens_details").get("reasoning_tokens")),
    )


def _calls(message: Document) -> tuple[ReplyCall, ...]:
    calls = message.get("tool_calls")
    if calls is None or calls == []:
        legacy = message.get("function_call")
        return () if legacy is None else (_call({"function": legacy}),)
    if not isinstance(calls, list):
        raise UnusableReplyError("invalid_response", "tool_calls that are no list")
    return tuple(_call(call) for call in calls)


def _call(call: Any) -> ReplyCall:
    """A call as received. One without a usable name is kept under the empty name, for governance to refuse."""
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict):
        return ReplyCall(id="", name="", arguments=json_text(call))
    arguments = function.get("arguments", "")
    return ReplyCall(
        id=text_of(call.get("id")),
        name=text_of(function.get("name")),
        arguments=arguments_text(arguments),
    )


def _choice(document: Document) -> Document | None:
    choices = document.get("choices")
    return choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else None
