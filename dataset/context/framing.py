"""How decided items are worded for the model, message by message, and what that takes.

Instructions stand together in the system message; every other item is data: a dialogue turn as itself, anything else
under a heading that names it, and what isn't trusted inside a fence that its text can't close. Merged entries stand
in one list for what is trusted and in another one, fenced as a whole, for what isn't.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from dataset.context.interface import Decision
from dataset.context.item import ContextItem
from dataset.context.token_counter import count_tokens
from dataset.context.untrusted_text import defused
from dataset.measures.fence import fenced

MESSAGE_OVERHEAD = 8
"""Tokens added for each message: role and delimiters of a chat template, on the high side."""
JOIN_TOKENS = 4
"""Tokens added for each seam between texts that share a message."""
_FENCE_TOKENS = count_tokens(re.sub("[0-9a-f]{12}", "0" * 12, fenced("", source=""))) + 2 * JOIN_TOKENS
"""What a fence takes at most beside its source and its text, whatever the digits of its mark."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DataMessage:
    """One message of data, as the model reads it."""

    role: Literal["user", "assistant"]
    text: str

    @property
    def tokens(self) -> int:
        """What it takes of the budget."""
        return count_tokens(self.text) + MESSAGE_OVERHEAD


def framed(item: ContextItem, text: str) -> DataMessage:
    """The message of one item of data, whose working text is `text`."""
    if item.trust == "untrusted":
        return DataMessage(role="user", text=fenced(defused(text), source=_origin(item)))
    if item.category in ("dialogue", "question"):
        return DataMessage(role="assistant" if item.role == "assistant" else "user", text=text)
    return DataMessage(role="user", text=f"[{item.category} {item.id}]\n{text}")


def reference_text(item: ContextItem) -> str:
    """What stands for an item of which only the source is named."""
    source = f", source: {_origin(item)}" if item.source else ""
    return f"[{item.category} {item.id}{source}, {item.tokens} tokens, not included]"


def merged(decisions: Sequence[Decision]) -> tuple[DataMessage, ...]:
    """The messages of all merged working texts, in their order: a list of the trusted ones, a fence for the others."""
    trusted = [d for d in decisions if d.item.trust == "trusted"]
    outside = [d for d in decisions if d.item.trust == "untrusted"]
    messages: list[DataMessage] = []
    if trusted:
        lines = [f"[{_heading(trusted)}]", *map(_line, trusted)]
        messages.append(DataMessage(role="user", text="\n".join(lines)))
    if outside:
        text = fenced("\n".join(map(_line, outside)), source=_heading(outside))
        messages.append(DataMessage(role="user", text=text))
    return tuple(messages)


def omission_note(count: int, tokens: int) -> DataMessage:
    """The message that says that entries were left out, in the place of the first of them."""
    return DataMessage(role="user", text=f"[{_entries(count)} of {tokens} tokens left out]")


def data_messages(decisions: Sequence[Decision]) -> tuple[DataMessage, ...]:
    """Every message of data in the order of the items."""
    together = [d for d in decisions if d.merged and d.working_text is not None]
    left_out = [d for d in decisions if d.kind == "omitted"]
    messages: list[DataMessage] = []
    for decision in decisions:
        if left_out and decision is left_out[0]:
            messages.append(omission_note(len(left_out), sum(d.item.tokens for d in left_out)))
        elif together and decision is together[0]:
            messages.extend(merged(together))
        elif decision.working_text is not None and not decision.merged and not decision.item.instructs:
            messages.append(framed(decision.item, decision.working_text))
    return tuple(messages)


def instruction_tokens(items: Sequence[ContextItem]) -> int:
    """What the system message takes: instructions are always whole, so their counts say it without their texts."""
    return sum(item.tokens + JOIN_TOKENS for item in items if item.instructs) + MESSAGE_OVERHEAD


def laid_out_tokens(decisions: Sequence[Decision]) -> int:
    """What decisions take of the budget, as they are laid out."""
    given = [d.item for d in decisions if d.working_text is not None]
    return instruction_tokens(given) + sum(message.tokens for message in data_messages(decisions))


def line_tokens(item: ContextItem, text: str) -> int:
    """What an item with this working text adds at most to a merged message."""
    return count_tokens(_text_line(item, text)) + JOIN_TOKENS


def reference_tokens(item: ContextItem) -> int:
    """What the line that names an item's source adds at most to a merged message."""
    return count_tokens(_reference_line(reference_text(item))) + JOIN_TOKENS


def list_tokens(items: Sequence[ContextItem]) -> int:
    """What the messages of merged decisions take at most beside their lines, whichever of the items are in them."""
    heading = count_tokens(f"[{_entries(len(items))}, {_NAMED_ONLY}]") + JOIN_TOKENS + MESSAGE_OVERHEAD
    fences = _FENCE_TOKENS if any(item.trust == "untrusted" for item in items) else 0
    lists = len({item.trust for item in items})
    return lists * heading + fences


def note_tokens(items: Sequence[ContextItem]) -> int:
    """What the note of what was left out takes at most, whichever of the items are."""
    return omission_note(len(items), sum(item.tokens for item in items)).tokens if items else 0


_SHORTENED = "shortened"
_NAMED_ONLY = "not included"


def _entries(count: int) -> str:
    return "1 entry" if count == 1 else f"{count} entries"


def _heading(decisions: Sequence[Decision]) -> str:
    named_only = all(d.kind == "referenced" for d in decisions)
    return f"{_entries(len(decisions))}, {_NAMED_ONLY if named_only else _SHORTENED}"


def _line(decision: Decision) -> str:
    text = decision.working_text or ""
    return _reference_line(text) if decision.kind == "referenced" else _text_line(decision.item, text)


def _reference_line(text: str) -> str:
    return f"- {text}"


def _text_line(item: ContextItem, text: str) -> str:
    said_by = f", {item.role}" if item.category == "dialogue" else ""
    return f"- [{item.category} {item.id}{said_by}] {text if item.trust == 'trusted' else defused(text)}"


def _origin(item: ContextItem) -> str:
    return defused(item.source or item.id).replace("\n", " ").replace("]", ")")
