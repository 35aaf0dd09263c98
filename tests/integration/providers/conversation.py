"""A conversation with everything in it that a wire API has to carry."""

from __future__ import annotations

from engine.context.message import Message, MessageCall
from engine.providers.interface import ModelRequest
from tests.integration.providers.asking import ORIGIN

TOOL = {
    "type": "function",
    "function": {"name": "get_quote", "description": "A price.", "parameters": {"type": "object"}},
}


def conversation(*, limit: int | None = 256) -> ModelRequest:
    """Two system messages, two calls at once (one with broken arguments), their results, and a follow-up."""
    messages = (
        Message(role="system", content="Be brief."),
        Message(role="system", content="Be kind."),
        Message(role="user", content="价格？"),
        Message(
            role="assistant",
            content="",
            tool_calls=(
                MessageCall(id="c1", name="get_quote", arguments='{"s": "X"}'),
                MessageCall(id="c2", name="get_quote", arguments='{"s": '),
            ),
        ),
        Message(role="tool", content="42", tool_call_id="c1"),
        Message(role="tool", content="unreadable", tool_call_id="c2"),
        Message(role="user", content="And?"),
        Message(role="assistant", content="Wait.", tool_calls=(MessageCall(id="c3", name="get_quote", arguments=""),)),
    )
    return ModelRequest(messages=messages, tools=(TOOL,), max_output_tokens=limit, input_tokens=12, origin=ORIGIN)
