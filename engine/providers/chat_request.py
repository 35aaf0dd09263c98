"""The body of a chat-completions request."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from engine.context.message import Message
from engine.providers.interface import ModelRequest
from engine.providers.model_entry import ModelEntry, Parameters


def chat_request_bytes(entry: ModelEntry, request: ModelRequest) -> bytes:
    """The JSON body. Nothing is sent as null, and nothing that the entry doesn't set.

    ASCII with escapes, because a model's earlier text may hold a lone surrogate, which has no UTF-8 form.
    """
    body: dict[str, Any] = {
        "model": entry.model_id,
        "messages": [wire_message(message) for message in request.messages],
        entry.output_limit_field: request.max_output_tokens,
        **_numbers(entry.parameters),
    }
    if request.tools:
        body["tools"] = list(request.tools)
    return json.dumps(body, separators=(",", ":")).encode("ascii")


def wire_message(message: Message) -> dict[str, Any]:
    """One message as the API takes it; an assistant's calls go back with the arguments as the model wrote them."""
    wire: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        wire["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.tool_calls
        ]
    if message.tool_call_id is not None:
        wire["tool_call_id"] = message.tool_call_id
    return wire


def _numbers(parameters: Parameters) -> dict[str, Any]:
    return {name: _number(value) if name != "reasoning_effort" else value for name, value in parameters.sent().items()}


def _number(value: str | int) -> int | float:
    number = Decimal(value)
    return int(number) if number == number.to_integral_value() else float(number)
