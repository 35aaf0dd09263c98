"""The body of a messages request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dataset.context.wire_text import MALFORMED
from dataset.tools.arguments import parse_arguments
from engine.context.message import Message, MessageCall
from engine.providers.call_failure import UnusableReplyError
from engine.providers.chat_request import json_body, numbers
from engine.providers.interface import ModelRequest
from engine.providers.model_entry import ModelEntry
from engine.providers.wire_document import Document, inner


def messages_request_bytes(entry: ModelEntry, request: ModelRequest, *, stream: bool) -> bytes:
    """The JSON body in UTF-8, with nothing as null.

    UnusableReplyError without an output limit; ValueError where a message can't be encoded.
    """
    if request.max_output_tokens is None:
        raise UnusableReplyError(
            "provider_4xx", "not asked: this wire API demands max_tokens, and the batch sets no output limit"
        )
    system = [_text_block(message.content) for message in request.messages if message.role == "system"]
    body: dict[str, Any] = {
        "model": entry.model_id,
        "max_tokens": request.max_output_tokens,
        "messages": _turns(request.messages),
        **numbers(entry.parameters),
    }
    if entry.thinking == "disabled":
        body["thinking"] = {"type": "disabled"}
    if system:
        body["system"] = system
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
    if stream:
        body["stream"] = True
    return json_body(body)


def _turns(messages: tuple[Message, ...]) -> list[Document]:
    """The conversation in turns of user and assistant, as this API demands: what follows in one role is one turn."""
    turns: list[Document] = []
    for message in messages:
        if message.role == "system":
            continue
        role = "assistant" if message.role == "assistant" else "user"
        if not turns or turns[-1]["role"] != role:
            turns.append({"role": role, "content": []})
        turns[-1]["content"] += _blocks(message)
    return turns


def _blocks(message: Message) -> list[Document]:
    if message.role == "tool":
        return [{"type": "tool_result", "tool_use_id": message.tool_call_id, "content": message.content}]
    # The API refuses empty text blocks, and an assistant's turn of calls needs none.
    blocks = [_text_block(message.content)] if message.content else []
    return blocks + [_tool_use(call) for call in message.tool_calls]


def _text_block(text: str) -> Document:
    return {"type": "text", "text": text}


def _tool_use(call: MessageCall) -> Document:
    """A call of the model's. `input` has to be an object: arguments that are none go back under a name that says so."""
    arguments = parse_arguments(call.arguments).value
    given = arguments if isinstance(arguments, dict) else {MALFORMED: call.arguments}
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": given}


def _tool(tool: Mapping[str, Any]) -> Document:
    function = inner(tool, "function")
    described = {"description": function["description"]} if "description" in function else {}
    return {"name": function["name"], **described, "input_schema": function.get("parameters", {"type": "object"})}
