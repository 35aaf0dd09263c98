"""A system prompt: a versioned file of the pack, one text a language."""

from __future__ import annotations

from dataset.record import Localised, Record, Slug, Version

PROMPT_MARKER = "glassbench:system-prompt"
"""Stands in the first line of every prompt file, is never sent to a model, and is looked for before publishing."""
PROMPT_HEADER = f"<!-- {PROMPT_MARKER} {{id}} v{{version}} {{locale}} -->"


class Prompt(Record):
    """The system prompt as written in the pack. Its text is private: artifacts hold its name, version and hash."""

    id: Slug
    version: Version
    text: Localised
