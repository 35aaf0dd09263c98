"""What the turns of a run and the tools that are loaded take, as the next model call reads them."""

from __future__ import annotations

from collections.abc import Sequence

from dataset.context.framing import MESSAGE_OVERHEAD
from dataset.context.token_counter import count_tokens

TOOL_OVERHEAD = 16
"""Tokens added for each tool: what a template writes around a schema, on the high side."""


def turn_tokens(content: str, calls: Sequence[tuple[str, str]] = ()) -> int:
    """The tokens of one message with its calls as (name, arguments), and what a template writes around them."""
    called = sum(count_tokens(name) + count_tokens(arguments) + MESSAGE_OVERHEAD for name, arguments in calls)
    return count_tokens(content) + called + MESSAGE_OVERHEAD


def tools_tokens(form_texts: Sequence[str]) -> int:
    """The tokens of loaded tools; `form_texts` are their canonical function forms."""
    return sum(count_tokens(text) + TOOL_OVERHEAD for text in form_texts)
