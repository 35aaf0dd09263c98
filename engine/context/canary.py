"""The one question that a model is asked before a batch: as little as shows that it can be asked at all."""

from __future__ import annotations

from engine.context.message import Message
from engine.context.opening import message_tokens

CANARY_OUTPUT_TOKENS = 16
"""The least that every wire API takes as an output limit."""
CANARY_MESSAGES = (Message(role="user", content="Reply with one word: ready"),)
CANARY_INPUT_TOKENS = sum(map(message_tokens, CANARY_MESSAGES))
"""What the conservative counter says of it."""
