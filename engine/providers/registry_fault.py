"""What is wrong with a registry file, told in words for the person who writes it, never with a value of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from dataset.artifacts.price import CLOCK_PATTERN, CURRENCY_PATTERN, DAY_PATTERN, RATE_PATTERN
from dataset.measures.exchange import PAIR_PATTERN
from dataset.record import SLUG, DecimalText
from engine.providers.model_entry import DISPLAY_PATTERN, EFFORT_PATTERN, MODEL_ID_PATTERN, NAME_PATTERN
from engine.providers.toml_lines import TableLines

_KEY_LIKE = re.compile(r"key|token|secret|password|authorization", re.IGNORECASE)
_KIND_WORDS = {"models": "model", "prices": "price", "fx": "exchange rate"}
PATTERN_WORDS: dict[str, str] = {
    SLUG.pattern: "must be 1 to 64 lower-case letters, digits and hyphens",
    get_args(DecimalText)[1].pattern: "must be a number such as 0.7",
    NAME_PATTERN: "must be 1 to 64 lower-case letters, digits, dots and hyphens",
    MODEL_ID_PATTERN: "must be 1 to 256 visible ASCII characters without blanks",
    DISPLAY_PATTERN: "must be 1 to 100 characters on one line",
    EFFORT_PATTERN: "must be one lower-case word, such as low",
    RATE_PATTERN: "must be a number from 0 up, such as 0.15",
    CURRENCY_PATTERN: "must be a currency in three capital letters, such as USD",
    DAY_PATTERN: "must be a day such as 2026-01-31",
    CLOCK_PATTERN: 'must be a time of day in quotes, such as "16:30"',
    PAIR_PATTERN: "must be two currencies such as USD/CNY",
}
"""What each pattern of a registry's text asks for."""
_TEMPLATES: dict[str, str] = {
    "missing": "is missing",
    "literal_error": "must be {expected}",
    "string_type": "must be text in quotes",
    "string_too_short": "must not be empty",
    "string_too_long": "must have at most {max_length} characters",
    "int_type": "must be a whole number, without quotes",
    "int_parsing": "must be a whole number, without quotes",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "finite_number": "must be a number",
    "bool_type": "must be true or false, without quotes",
    "greater_than": "must be more than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be at most {le}",
    "model_type": "must be a table, such as {{ setting = … }}",
    "dict_type": "must be a table, such as {{ setting = … }}",
    "tuple_type": "must be a list, such as [ … ]",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class RegistryFault:
    """One fault of a registry file. `line` is None where none could be found; the message holds no value."""

    file: Path
    line: int | None
    field: str
    message: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else str(self.file)
        return f"{place}: {self.field}: {self.message}" if self.field else f"{place}: {self.message}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """One table of one registry file."""

    file: Path
    kind: str
    name: object
    """The key or id that the table gives itself, whatever it is."""
    lines: TableLines

    def __str__(self) -> str:
        return f"{self.file}:{self.lines.start}" if self.lines.start else str(self.file)

    @property
    def subject(self) -> str:
        """What the table is called in messages; a name that isn't one is left out, because it may be anything."""
        kind = _KIND_WORDS[self.kind]
        sound = isinstance(self.name, str) and re.fullmatch(r"[a-z0-9-]{1,64}|[A-Z]{3}/[A-Z]{3}", self.name)
        return f"{kind} {self.name!r}" if sound else kind

    def fault(self, message: str, *, setting: str = "", at: str | None = None) -> RegistryFault:
        """A fault of one setting, or of the table as a whole; `at` names another setting whose line it has."""
        return RegistryFault(
            file=self.file,
            line=self.lines.of(setting if at is None else at) or None,
            field=f"{self.subject}, {setting}" if setting else self.subject,
            message=message,
        )


def validation_faults(place: Place, record: type[BaseModel], error: ValidationError) -> Iterator[RegistryFault]:
    """Each fault that a record of this kind found in its table."""
    for detail in error.errors(include_input=False, include_url=False):
        path = ".".join(str(part) for part in detail["loc"])
        if detail["type"] == "extra_forbidden":
            message = _unknown_setting(path, record)
        else:
            message = plain_words(detail["type"], detail["msg"], detail.get("ctx", {}))
        yield place.fault(message, setting=path)


def plain_words(kind: str, message: str, context: Mapping[str, Any]) -> str:
    """What a validator's finding asks of the person who wrote the file."""
    if kind == "string_pattern_mismatch" and context["pattern"] in PATTERN_WORDS:
        return PATTERN_WORDS[context["pattern"]]
    if kind in _TEMPLATES:
        return _TEMPLATES[kind].format(**context)
    return message.removeprefix("Value error, ")


def _unknown_setting(path: str, record: type[BaseModel]) -> str:
    if _KEY_LIKE.search(path):
        return "unknown setting; a key never stands in this file: name its environment variable in credential_env"
    close = get_close_matches(path, _settings(record), n=1)
    return f"unknown setting; did you mean {close[0]}?" if close else "unknown setting"


def _settings(record: type[BaseModel]) -> Iterable[str]:
    return record.model_fields
