"""The body of a chat-completions request."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from dataset.canonical import CanonicalError, read_strict
from engine.context.message import Message
from engine.providers.interface import ModelRequest
from engine.providers.model_entry import ModelEntry, Parameters

MALFORMED = "malformed_arguments"
"""Under this name a model finds again what it wrote instead of a JSON object."""


def chat_request_bytes(entry: ModelEntry, request: ModelRequest) -> bytes:
    """The JSON body in UTF-8. Nothing is sent as null, and nothing that the entry doesn't set."""
    body: dict[str, Any] = {
        "model": entry.model_id,
        "messages": [wire_message(message) for message in request.messages],
        entry.output_limit_field: request.max_output_tokens,
        **_numbers(entry.parameters),
    }
    if request.tools:
        body["tools"] = list(request.tools)
    return _utf8(json.dumps(body, ensure_ascii=False, separators=(",", ":")))


def wire_message(message: Message) -> dict[str, Any]:
    """One message as the API takes it."""
    wire: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        wire["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": wire_arguments(call.arguments)},
            }
            for call in message.tool_calls
        ]
    if message.tool_call_id is not None:
        wire["tool_call_id"] = message.tool_call_id
    return wire


def wire_arguments(written: str) -> str:
    """The arguments of an earlier call: as the model wrote them where they are a JSON object, else inside one.

    Servers parse the arguments in a conversation again, and answer 400 or 500 for the whole request where they are
    no JSON; the model would never see that its call was refused.
    """
    try:
        is_object = isinstance(read_strict(written.encode(), allow_floats=True), dict)
    except (CanonicalError, UnicodeEncodeError):
        is_object = False
    return written if is_object else json.dumps({MALFORMED: written}, ensure_ascii=False)


def _utf8(text: str) -> bytes:
    """UTF-8, with U+FFFD for each lone surrogate: a model may write half a character, but none can be sent."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def _numbers(parameters: Parameters) -> dict[str, Any]:
    return {name: _number(value) if name != "reasoning_effort" else value for name, value in parameters.sent().items()}


def _number(value: str | int) -> int | float:
    number = Decimal(value)
    return int(number) if number == number.to_integral_value() else float(number)
