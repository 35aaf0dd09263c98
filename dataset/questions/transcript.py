"""What the scripted provider answers: one transcript a case and style, turn by turn."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from dataset.record import SLUG, CaseId, Identifier, Localised, Record, Version

Arguments = dict[str, Any] | str


class ScriptedCall(Record):
    """A tool call: `arguments` as a mapping, or as the raw text where the text itself is the point."""

    tool: str
    arguments: Arguments = {}


class ScriptedTurn(Record):
    """One reply of the scripted model: text, calls, or both. `calls_zh` replaces `calls` in Chinese runs."""

    text: Localised | None = None
    calls: tuple[ScriptedCall, ...] = ()
    calls_zh: tuple[ScriptedCall, ...] | None = None


class Transcript(Record):
    """The versioned turns of one style (`careful`, `careless`) for one case; the last turn repeats if asked again."""

    style: Identifier
    case_id: Annotated[CaseId, SLUG]
    version: Version
    turns: tuple[ScriptedTurn, ...] = Field(min_length=1)
