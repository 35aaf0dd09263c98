"""The digest of a request is that of its canonical JSON, whatever is kept between two requests."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from dataset.canonical import content_hash
from engine.context.message import Message, MessageCall
from engine.ledger.request_digest import RequestDigest
from engine.providers.interface import ModelRequest, RequestOrigin

MODEL = "ab" * 32
TOOL = {"type": "function", "function": {"name": "quote", "parameters": {"maximum": 1.5, "minimum": 0}}}
REQUEST = ModelRequest(
    messages=(
        Message(role="system", content="be brief"),
        Message(role="assistant", content="", tool_calls=(MessageCall(id="c1", name="quote", arguments='{"a": 1}'),)),
        Message(role="tool", content="é \U0001f600", tool_call_id="c1"),
    ),
    tools=(TOOL,),
    max_output_tokens=100,
    input_tokens=5,
    origin=RequestOrigin(run_id="r", case_id="c", locale="en", repeat=1, turn=0),
)


def written_out(request: ModelRequest) -> str:
    """The digest by its definition."""
    messages = [
        {
            "role": m.role,
            "content": m.content,
            "calls": [[c.id, c.name, c.arguments] for c in m.tool_calls],
            "answers": m.tool_call_id,
        }
        for m in request.messages
    ]
    asked = {
        "model": MODEL,
        "messages": messages,
        "tools": list(request.tools),
        "max_output_tokens": request.max_output_tokens,
    }
    return content_hash(asked, allow_floats=True)


@pytest.mark.parametrize(
    "changes",
    [{}, {"tools": ()}, {"messages": ()}, {"max_output_tokens": None}, {"tools": (TOOL, {**TOOL, "x": [1, 2.25]})}],
)
def test_it_is_the_hash_of_the_whole_in_canonical_form(changes: dict[str, Any]) -> None:
    request, digest = replace(REQUEST, **changes), RequestDigest(MODEL)
    assert digest(request) == digest(request) == written_out(request)


def test_other_tools_never_take_the_place_of_those_that_were_asked_with() -> None:
    digest = RequestDigest(MODEL)
    for number in range(1200):  # more than are kept; a set that is let go leaves its identity to a later one
        request = replace(REQUEST, tools=({"number": number},))
        assert digest(request) == written_out(request)


def test_who_is_asked_counts_and_where_the_call_comes_from_does_not() -> None:
    assert RequestDigest("cd" * 32)(REQUEST) != written_out(REQUEST)
    assert RequestDigest(MODEL)(replace(REQUEST, input_tokens=7)) == written_out(REQUEST)
