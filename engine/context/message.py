"""The messages a model is given. Only `engine.context` makes them: an architecture test holds that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Role = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True, kw_only=True, slots=True)
class MessageCall:
    """A tool call in an assistant message: `arguments` is the raw string as the model wrote it."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Message:
    """One chat message. `tool_call_id` is set on role `tool` only, `tool_calls` on role `assistant` only."""

    role: Role
    content: str
    tool_calls: tuple[MessageCall, ...] = ()
    tool_call_id: str | None = None
