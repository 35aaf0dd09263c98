"""Puts the events of a streamed message together into the message that they are parts of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from engine.providers.call_failure import ErrorObjectError, UnusableReplyError
from engine.providers.event_stream import ServerEvent
from engine.providers.wire_document import ContentMeter, Document, event_document, inner, text_of


@dataclass(kw_only=True, slots=True)
class _Block:
    """A content block that is coming in: `head` as it began, `pieces` the text or the arguments since."""

    head: Document
    pieces: list[str] = field(default_factory=list)

    def document(self) -> Document:
        """The block. Arguments stay the text that they came as; a call that got none has what it began with."""
        written = "".join(self.pieces)
        if self.head.get("type") == "tool_use":
            return {**self.head, "input": written or self.head.get("input") or ""}
        return {**self.head, "text": text_of(self.head.get("text")) + written}


class MessagesFold:
    """Takes events. Text and calls are kept; thinking is let go."""

    def __init__(self) -> None:
        self.finished = False
        self._meter = ContentMeter()
        self._message: Document = {}
        self._usage: Document = {}
        self._blocks: dict[int, _Block] = {}

    def add(self, event: ServerEvent) -> None:
        """One event; kinds that this module doesn't know (and `ping`) say nothing."""
        document = event_document(event)
        match document.get("type"):
            case "message_start":
                self._message = {**inner(document, "message"), "content": []}
                usage = inner(self._message, "usage")
                # Its output_tokens count the first few tokens only: no figure to pay by.
                self._usage = {name: usage[name] for name in usage if name != "output_tokens"}
            case "content_block_start":
                self._meter.begin_part()
                head = inner(document, "content_block")
                self._meter.count(text_of(head.get("text")) + text_of(head.get("name")))
                self._blocks[_index(document)] = _Block(head=head)
            case "content_block_delta":
                self._delta(_index(document), inner(document, "delta"))
            case "message_delta":
                delta, usage = inner(document, "delta"), inner(document, "usage")
                self._message |= {name: delta[name] for name in delta if delta[name] is not None}
                self._usage |= {name: usage[name] for name in usage if usage[name] is not None}
            case "message_stop":
                self.finished = True
            case kind:
                if kind == "error" or document.get("error"):
                    raise ErrorObjectError(document)

    def document(self) -> Document:
        """The message, empty where none has begun."""
        if not self._message:
            return {}
        content = [self._blocks[index].document() for index in sorted(self._blocks)]
        return {**self._message, "content": content, "usage": self._usage}

    def _delta(self, index: int, delta: Document) -> None:
        block = self._blocks.get(index)
        if block is None:
            raise UnusableReplyError("invalid_stream", "a delta of a block that has not begun")
        match delta.get("type"):
            case "text_delta":
                block.pieces.append(self._meter.count(text_of(delta.get("text"))))
            case "input_json_delta":
                block.pieces.append(self._meter.count(text_of(delta.get("partial_json"))))
            case _:
                pass  # thinking, signatures, citations


def _index(document: Document) -> int:
    index: Any = document.get("index")
    if type(index) is not int:
        raise UnusableReplyError("invalid_stream", "a content block without its index")
    return index
