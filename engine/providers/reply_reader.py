"""Turns the body of a chat completion into a reply.

`read` takes a whole body; `reply_of` takes the document it holds, and is where an answer put together from a
stream joins in.
"""

from __future__ import annotations

from typing import Any

from dataset.artifacts.artifact import StopReason, Usage
from dataset.canonical import MAX_INTEGER
from engine.providers.call_failure import CallFailure, failure_of_error_object
from engine.providers.credential import Credential
from engine.providers.interface import ModelReply, ReplyCall
from engine.providers.outside_json import UnreadableJsonError, checked_token, json_text, read_outside_json

_TEXT_PARTS = frozenset({"text", "output_text"})
_Object = dict[str, Any]


class ReplyReader:
    """Reads replies; what comes out holds no spelling of the credential."""

    def __init__(self, credential: Credential) -> None:
        self._credential = credential

    def read(self, body: bytes, *, request_id: str | None) -> ModelReply | CallFailure:
        """The reply in a body of 2xx, or what is wrong with it. `request_id` is the header's, None without one."""
        if not body.strip():
            return CallFailure(code="empty_response", message="HTTP 200 with an empty body")
        try:
            return self.reply_of(read_outside_json(body), request_id=request_id)
        except UnreadableJsonError as error:
            return _invalid(str(error))
        except RecursionError:  # a value just shallow enough to be read, too deep to be written
            return _invalid("JSON nested too deep")

    def reply_of(self, document: Any, *, request_id: str | None) -> ModelReply | CallFailure:
        """The reply in a chat-completion document. Latency and attempts are the caller's to add.

        An answer with neither text nor calls is a reply with empty text, also where the output limit cut it off: that
        is the model's doing under a limit that was fixed before, not a fault.
        """
        if not isinstance(document, dict):
            return _invalid("JSON that is no object")
        if document.get("error"):
            return failure_of_error_object(document, self._credential)
        choice = _first(document.get("choices"))
        if choice is not None and choice.get("error"):
            return failure_of_error_object(choice, self._credential)
        message = choice.get("message") if choice is not None else None
        if choice is None or not isinstance(message, dict):
            return _invalid("no choices with a message")
        return self._reply(document, choice, message, request_id)

    def _reply(
        self, document: _Object, choice: _Object, message: _Object, request_id: str | None
    ) -> ModelReply | CallFailure:
        text, calls = message_text(message), self._calls(message)
        if isinstance(text, CallFailure):
            return text
        if isinstance(calls, CallFailure):
            return calls
        finish = choice.get("finish_reason")
        return ModelReply(
            text=self._credential.remove_from(text) if text is not None else (None if calls else ""),
            tool_calls=calls,
            stop_reason=stop_reason_of(finish, calls=bool(calls)),
            finish_reason=self._token(finish),
            usage=usage_of(document.get("usage")),
            model_returned=self._token(document.get("model")),
            request_id=self._token(request_id) or self._token(document.get("id")),
            system_fingerprint=self._token(document.get("system_fingerprint")),
            latency_ms=0,
        )

    def _token(self, value: Any) -> str | None:
        # The mark left by a removed key holds a blank, so an id that echoed the key fails the check.
        return checked_token(self._credential.remove_from(value)) if isinstance(value, str) else None

    def _calls(self, message: _Object) -> tuple[ReplyCall, ...] | CallFailure:
        calls = message.get("tool_calls")
        if calls is None or calls == []:
            legacy = message.get("function_call")
            return () if legacy is None else (self._call({"function": legacy}),)
        if not isinstance(calls, list):
            return _invalid("tool_calls that are no list")
        return tuple(self._call(call) for call in calls)

    def _call(self, call: Any) -> ReplyCall:
        """A call as received. One without a usable name is kept under the empty name, for governance to refuse."""
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(function, dict):
            return ReplyCall(id="", name="", arguments=self._credential.remove_from(json_text(call)))
        arguments = function.get("arguments", "")
        written = arguments if isinstance(arguments, str) else json_text(arguments)
        return ReplyCall(
            id=self._text(call.get("id")),
            name=self._text(function.get("name")),
            arguments=self._credential.remove_from(written),
        )

    def _text(self, value: Any) -> str:
        return self._credential.remove_from(value) if isinstance(value, str) else ""


def message_text(message: _Object) -> str | CallFailure | None:
    """The text of a message: a string, or the text parts of a list joined; a refusal where there is no other text.

    Reasoning (`reasoning_content`, `reasoning`, parts of other types) is left out. None where there is no text.
    """
    content = message.get("content")
    if isinstance(content, list):
        content = "".join(_part_text(part) for part in content)
    if content is not None and not isinstance(content, str):
        return _invalid("content that is neither text nor a list of parts")
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
        input_tokens=_count(found.get("prompt_tokens")),
        output_tokens=_count(found.get("completion_tokens")),
        cache_read_tokens=_count(_detail(found, "prompt_tokens_details", "cached_tokens")),
        reasoning_tokens=_count(_detail(found, "completion_tokens_details", "reasoning_tokens")),
    )


def _detail(usage: _Object, group: str, name: str) -> Any:
    inner = usage.get(group)
    return inner.get(name) if isinstance(inner, dict) else None


def _count(value: Any) -> int | None:
    return value if type(value) is int and 0 <= value <= MAX_INTEGER else None


def _part_text(part: Any) -> str:
    if not isinstance(part, dict):
        return ""
    written = part.get("refusal") if part.get("type") == "refusal" else None
    if part.get("type") in _TEXT_PARTS:
        written = part.get("text")
    return written if isinstance(written, str) else ""


def _first(choices: Any) -> _Object | None:
    return choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else None


def _invalid(what: str) -> CallFailure:
    return CallFailure(code="invalid_response", message=f"HTTP 200 with {what}")
