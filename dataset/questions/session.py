"""What a conversation already holds when the question is asked: classified, prioritised, trusted or not."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from dataset.record import ABSENT, Localised, Record, Slug

ItemCategory = Literal["system", "policy", "dialogue", "tool_call", "tool_result", "note", "document", "question"]
Trust = Literal["trusted", "untrusted"]


class SessionItem(Record):
    """One entry of a session; a required one is kept whole or the run fails.

    `answers` is on a tool result: the call it came from, earlier in the session; the two reach a model together or not
    at all. `corrects` names an earlier entry that this one overtakes: the earlier one never reaches a model without it.
    """

    id: Slug
    category: Literal["policy", "dialogue", "tool_call", "tool_result", "note", "document"]
    role: Literal["user", "assistant"] = "user"
    priority: Annotated[int, Field(ge=0, le=100)] = 50
    trust: Trust = "trusted"
    required: bool = False
    source: str = ""
    answers: Annotated[Slug | None, ABSENT] = None
    corrects: Annotated[Slug | None, ABSENT] = None
    text: Localised
