"""A system prompt: a versioned file of the pack, one text a language."""

from __future__ import annotations

from dataset.record import Localised, Record, Slug, Version


class Prompt(Record):
    """The system prompt as written in the pack. Its text is private: artifacts hold its name, version and hash."""

    id: Slug
    version: Version
    text: Localised
