"""What the output guardrails look for and say instead: the records of a pack's `guardrails/*.yaml`.

Three documents, one per guardrail: `forbidden_operation`, `personal_advice`, `number_grounding`. Each has one part per
language; every answer meets the parts of all languages. The three share one version, which `pack.yaml` gives.
"""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, ValidationInfo, field_validator

from dataset.questions.guardrail_pattern import compile_bounded, expand
from dataset.record import Identifier, Locale, Record, Slug, Version

Wording = Annotated[str, StringConstraints(min_length=1, max_length=2000)]
DOCUMENTS = ("forbidden_operation", "personal_advice", "number_grounding")


class CueGroup(Record):
    """Patterns that take back a match: within its clause, or anywhere in its sentence."""

    scope: Literal["clause", "sentence"]
    patterns: tuple[Wording, ...] = Field(min_length=1)


class WordingPattern(Record):
    """One way of saying what must not be said, unless one of the cue groups in `unless` speaks against it."""

    id: Slug
    regex: Wording
    unless: tuple[Identifier, ...]


class WordingRules(Record):
    """One guardrail in one language. `statement` replaces the sentence, `note` is put at the end of the answer.

    Patterns, cues and terms may name terms as `{{term}}`.
    """

    statement: Wording
    note: str = Field(default="", max_length=2000)
    terms: dict[Identifier, Wording] = {}
    cues: dict[Identifier, CueGroup]
    patterns: tuple[WordingPattern, ...] = Field(min_length=1)

    @field_validator("statement", "note")
    @classmethod
    def _no_digits(cls, value: str) -> str:
        return _without_digits(value)

    @field_validator("cues")
    @classmethod
    def _cues_compile(cls, value: dict[str, CueGroup], info: ValidationInfo) -> dict[str, CueGroup]:
        for name, group in value.items():
            for position, pattern in enumerate(group.patterns):
                _checked(pattern, info, f"{name}.patterns.{position}")
        return value

    @field_validator("patterns")
    @classmethod
    def _patterns_compile(cls, value: tuple[WordingPattern, ...], info: ValidationInfo) -> tuple[WordingPattern, ...]:
        for position, pattern in enumerate(value):
            _checked(pattern.regex, info, f"{position}.regex")
            unknown = set(pattern.unless) - set(info.data.get("cues", {}))
            if unknown and "cues" in info.data:
                raise ValueError(f"{position}.unless names no cue group: {', '.join(sorted(unknown))}")
        return value

    def compiled(self, pattern: str) -> re.Pattern[str]:
        """A pattern or cue of these rules, terms filled in."""
        return compile_bounded(expand(pattern, self.terms))


class WordingPolicy(Record):
    """A guardrail that replaces sentences (C-1 forbidden operation, C-2 personal advice)."""

    en: WordingRules
    zh: WordingRules

    def to(self, locale: Locale) -> WordingRules:
        """The rules in one language."""
        return self.en if locale == "en" else self.zh


class NumberWording(Record):
    """Number grounding in one language; each list holds plain words, no patterns.

    `exempt_phrases` are names with a number in them (S&P 500); `fall_words` let a positive figure stand for a
    negative source (fell 3.2%), as beginnings of words; `unit_rate_words` let "1 HKD" be the base of a rate.
    """

    placeholder: Wording
    exempt_phrases: tuple[Wording, ...] = ()
    fall_words: tuple[Wording, ...] = ()
    unit_rate_words: tuple[Wording, ...] = ()

    @field_validator("placeholder")
    @classmethod
    def _no_digits(cls, value: str) -> str:
        return _without_digits(value)


class NumberPolicy(Record):
    """The number grounding guardrail."""

    en: NumberWording
    zh: NumberWording

    def to(self, locale: Locale) -> NumberWording:
        """The wording in one language."""
        return self.en if locale == "en" else self.zh


class GuardrailPolicy(Record):
    """All output guardrails of a pack, under one version."""

    version: Version
    forbidden_operation: WordingPolicy
    personal_advice: WordingPolicy
    number_grounding: NumberPolicy

    @property
    def id(self) -> str:
        """The one id that a pack's guardrails have in the bank."""
        return "guardrails"


def _checked(pattern: str, info: ValidationInfo, place: str) -> None:
    try:
        compile_bounded(expand(pattern, info.data.get("terms", {})))
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from error


def _without_digits(value: str) -> str:
    if any(char.isdecimal() for char in value):
        raise ValueError("must hold no digit: number grounding reads it too")
    return value
