"""Puts the chunks of a streamed chat completion together into the completion that they are parts of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from engine.providers.call_failure import ErrorObjectError, UnusableReplyError
from engine.providers.chat_content import content_text
from engine.providers.event_stream import ServerEvent
from engine.providers.wire_document import ContentMeter, Document, arguments_text, event_document, text_of

_DONE = b"[DONE]"
_HEAD = ("id", "model", "system_fingerprint", "usage")
_LEGACY = "function_call"


@dataclass(kw_only=True, slots=True)
class _Call:
    """A tool call that is coming in."""

    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)


class ChatFold:
    """Takes chunks. Text, calls, usage and names are kept; reasoning is let go."""

    def __init__(self) -> None:
        self.finished = False
        self._meter = ContentMeter()
        self._head: Document = {}
        self._chosen = False
        self._finish: Any = None
        self._text: list[str] = []
        self._refusal: list[str] = []
        self._calls: list[_Call] = []
        self._by_id: dict[str, _Call] = {}
        self._by_index: dict[int | str, _Call] = {}

    def add(self, event: ServerEvent) -> None:
        """One event: a chunk, an error, or `[DONE]`."""
        if event.data.strip() == _DONE:
            self.finished = True
            return
        chunk = event_document(event)
        if event.name == b"error" or chunk.get("error") or chunk.get("object") == "error":
            raise ErrorObjectError(chunk)
        for name in _HEAD:
            value = chunk.get(name)
            if value is not None:
                self._head[name] = value
        choices = chunk.get("choices")
        if choices is None:
            return
        if not isinstance(choices, list):
            raise UnusableReplyError("invalid_stream", "choices that are no list")
        for choice in choices:
            self._choice(choice)

    def document(self) -> Document:
        """The `chat.completion`; without choices where no chunk had one."""
        if not self._chosen:
            return self._head
        message: Document = {"content": "".join(self._text) if self._text else None}
        if self._refusal:
            message["refusal"] = "".join(self._refusal)
        if self._calls:
            message["tool_calls"] = [
                {"id": call.id, "function": {"name": call.name, "arguments": "".join(call.arguments)}}
                for call in self._calls
            ]
        return {**self._head, "choices": [{"message": message, "finish_reason": self._finish}]}

    def _choice(self, choice: Any) -> None:
        if not isinstance(choice, dict):
            raise UnusableReplyError("invalid_stream", "a choice that is no object")
        if choice.get("error"):
            raise ErrorObjectError(choice)
        if choice.get("index") not in (None, 0):  # only one answer was asked for
            return
        self._chosen = True
        if choice.get("finish_reason") is not None:
            self._finish = choice["finish_reason"]
        delta = choice.get("delta") or choice.get("message") or {}
        if not isinstance(delta, dict):
            raise UnusableReplyError("invalid_stream", "a delta that is no object")
        self._delta(delta)

    def _delta(self, delta: Document) -> None:
        # Most deltas hold a piece of text and nothing else: each further look is taken only where there is something.
        if content := delta.get("content"):
            self._keep(self._text, content)
        if refusal := delta.get("refusal"):
            self._keep(self._refusal, refusal)
        if calls := delta.get("tool_calls"):
            if not isinstance(calls, list):
                raise UnusableReplyError("invalid_stream", "tool_calls that are no list")
            for call in calls:
                self._call(call)
        if (legacy := delta.get(_LEGACY)) is not None:
            self._call({"index": _LEGACY, "function": legacy})

    def _keep(self, pieces: list[str], content: Any) -> None:
        if text := content_text(content):
            pieces.append(self._meter.count(text))

    def _call(self, delta: Any) -> None:
        function = delta.get("function") if isinstance(delta, dict) else None
        if function is None:
            function = {}
        if not isinstance(delta, dict) or not isinstance(function, dict):
            raise UnusableReplyError("invalid_stream", "a tool call that is no object")
        name = text_of(function.get("name"))
        call = self._route(text_of(delta.get("id")), delta.get("index"), name)
        if name and name != call.name:  # some servers repeat the name in every chunk, some cut it in pieces
            call.name += self._meter.count(name)
        arguments = function.get("arguments")
        if arguments is not None and arguments != "":
            written = arguments_text(arguments)
            call.arguments.append(self._meter.count(written))

    def _route(self, call_id: str, index: Any, name: str) -> _Call:
        """The call that a delta belongs to, a new one where it begins one.

        The id decides. Without one the index does, and means the last call that had it, since servers reuse it;
        without either it goes on with the last call, unless it names a tool.
        """
        found = self._by_id.get(call_id) if call_id else None
        at_index = self._by_index.get(index) if type(index) in (int, str) else None
        if found is None and call_id:
            if at_index is not None and not at_index.id:  # its id comes late
                at_index.id = call_id
                found = at_index
        elif found is None and at_index is not None:
            found = at_index
        elif found is None and index is None and not name and self._calls:
            found = self._calls[-1]
        if found is None:
            self._meter.begin_part()
            found = _Call(id=self._meter.count(call_id))
            self._calls.append(found)
        if call_id:
            self._by_id[call_id] = found
        if type(index) in (int, str):
            self._by_index[index] = found
        return found
