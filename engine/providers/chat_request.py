"""The body of a chat-completions request."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import orjson

from engine.context.message import Message
from engine.providers.interface import ModelRequest
from engine.providers.model_entry import ModelEntry, Parameters


def chat_request_bytes(entry: ModelEntry, request: ModelRequest, *, stream: bool) -> bytes:
    """The JSON body in UTF-8. Nothing is sent as null, and nothing that the entry doesn't set.

    The messages are sent as they are, since their tokens are counted; ValueError where one can't be encoded.
    """
    body: dict[str, Any] = {
        "model": entry.model_id,
        "messages": [_wire_message(message) for message in request.messages],
        **numbers(entry.parameters),
    }
    if request.max_output_tokens is not None:
        body[entry.output_limit_field] = request.max_output_tokens
    if entry.thinking in ("enabled", "disabled"):  # no field of OpenAI's, but the one most servers have for it
        body["thinking"] = {"type": entry.thinking}
    if request.tools:
        body["tools"] = list(request.tools)
    if stream:
        body |= {"stream": True, "stream_options": {"include_usage": True}}
    return json_body(body)


def json_body(body: dict[str, Any]) -> bytes:
    """A request body in UTF-8; ValueError, which shows nothing of it, where a text in it can't be encoded."""
    try:
        return orjson.dumps(body)
    except TypeError:
        pass
    # Raised here, outside the handler, so that it keeps nothing of the request.
    raise ValueError("a message holds a lone surrogate, which engine.context never lets through")


def numbers(parameters: Parameters) -> dict[str, Any]:
    """The parameters that are set, as JSON has them."""
    return {name: _number(value) if name != "reasoning_effort" else value for name, value in parameters.sent().items()}


def _wire_message(message: Message) -> dict[str, Any]:
    """One message as the API takes it."""
    wire: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        wire["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in message.tool_calls
        ]
    if message.tool_call_id is not None:
        wire["tool_call_id"] = message.tool_call_id
    return wire


def _number(value: str | int) -> int | float:
    number = Decimal(value)
    return int(number) if number == number.to_integral_value() else float(number)
