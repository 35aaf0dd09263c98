"""The one question that a model is asked before a batch: as little as shows that it can be asked at all."""

from __future__ import annotations

from engine.context.message import Message

CANARY_OUTPUT_TOKENS = 16
"""The least that every wire API takes as an output limit."""
CANARY_INPUT_TOKENS = 512
"""What is reserved for it. It counts a tenth of that; but beside so short a question, what a server's template writes
around it weighs more than the text, and an attempt must not use more than it reserved."""
CANARY_MESSAGES = (
    # With a system message of ours, a template doesn't put its own in.
    Message(role="system", content="You answer in one word."),
    Message(role="user", content="Reply with one word: ready"),
)
