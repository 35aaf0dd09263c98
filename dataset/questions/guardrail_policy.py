"""What the output guardrails look for and say instead: the records of a pack's `guardrails/*.yaml`.

Three documents, one per guardrail: `forbidden_operation`, `personal_advice`, `number_grounding`. Each has a
`version` and one part per language; every answer meets the parts of all languages.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self

from pydantic import Field, StringConstraints, ValidationError, ValidationInfo, field_validator, model_validator

from dataset.errors import GlassbenchError
from dataset.questions.guardrail_pattern import compile_bounded, expand
from dataset.record import Identifier, Locale, Record, Slug, Version

Wording = Annotated[str, StringConstraints(min_length=1, max_length=2000)]
DOCUMENTS = ("forbidden_operation", "personal_advice", "number_grounding")


@dataclass(frozen=True, kw_only=True, slots=True)
class PolicyFault:
    """One fault of a guardrail document; `path` leads from its root to the value."""

    document: str
    path: tuple[str | int, ...]
    message: str

    def __str__(self) -> str:
        return f"{self.document}.yaml {'.'.join(map(str, self.path))}: {self.message}"


class GuardrailPolicyError(GlassbenchError):
    """The guardrail documents of a pack are wrong; `faults` has each one."""

    code = "GUARD-POLICY-001"

    def __init__(self, faults: tuple[PolicyFault, ...]) -> None:
        super().__init__("; ".join(map(str, faults)), hint="mend the files in the pack's guardrails/ directory")
        self.faults = faults


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

    version: Version
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

    version: Version
    en: NumberWording
    zh: NumberWording

    def to(self, locale: Locale) -> NumberWording:
        """The wording in one language."""
        return self.en if locale == "en" else self.zh


class GuardrailPolicy(Record):
    """All output guardrails of a pack. `version` is the sum of its documents' versions: any bump raises it."""

    forbidden_operation: WordingPolicy
    personal_advice: WordingPolicy
    number_grounding: NumberPolicy

    @property
    def id(self) -> str:
        """The one id that a pack's guardrails have in the bank."""
        return "guardrails"

    @property
    def version(self) -> int:
        """The sum of the documents' versions."""
        parts = (self.forbidden_operation, self.personal_advice, self.number_grounding)
        return sum(part.version for part in parts)

    @model_validator(mode="after")
    def _version_fits(self) -> Self:
        if self.version > 9999:
            raise ValueError("the versions of the documents add up to more than 9999")
        return self


def policy_from_documents(documents: Mapping[str, Any]) -> GuardrailPolicy:
    """The policy out of the parsed YAML documents by name (`DOCUMENTS`); GuardrailPolicyError with every fault."""
    try:
        return GuardrailPolicy.model_validate(dict(documents))
    except ValidationError as error:
        raise GuardrailPolicyError(
            tuple(
                PolicyFault(document=str(fault["loc"][0]), path=fault["loc"][1:], message=fault["msg"])
                if fault["loc"]
                else PolicyFault(document="guardrails", path=(), message=fault["msg"])
                for fault in error.errors(include_url=False)
            )
        ) from error


def _checked(pattern: str, info: ValidationInfo, place: str) -> None:
    try:
        compile_bounded(expand(pattern, info.data.get("terms", {})))
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from error


def _without_digits(value: str) -> str:
    if any(char.isdecimal() for char in value):
        raise ValueError("must hold no digit: number grounding reads it too")
    return value
