"""The base of every frozen record: immutable, closed to unknown fields, hashable by content."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, Any, Literal, NewType, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from dataset.canonical import Json, canonical_bytes, content_hash

CaseId = NewType("CaseId", str)
VariantId = NewType("VariantId", str)
BatchId = NewType("BatchId", str)
RunId = NewType("RunId", str)

Locale = Literal["en", "zh"]
LOCALES: tuple[Locale, ...] = ("en", "zh")

SLUG = StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")
"""What `Annotated[CaseId, SLUG]` holds an id to; an Annotated type in its place would be ignored without a word."""
Slug = Annotated[str, SLUG]
"""An id that is a safe file name everywhere: lower-case letters, digits, hyphens."""
Identifier = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
"""A name that a model may call: a tool, a permission, a scene."""
Version = Annotated[int, Field(ge=1, le=9999)]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
DecimalText = Annotated[str, StringConstraints(pattern=r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?$")]
"""A decimal number in text: money, rates, scores."""
UtcTime = Annotated[str, StringConstraints(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")]
"""UTC ISO 8601 to the millisecond, with Z."""


def is_none(value: Any) -> bool:
    """Whether there is no value."""
    return value is None


ABSENT = Field(exclude_if=is_none)
"""What `Annotated[Slug | None, ABSENT] = None` writes as nothing at all when it is None: a field that came later, so
that records which never had it keep their hash."""


class Record(BaseModel):
    """A frozen, closed record whose content hash is the sha256 of its canonical JSON."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def __copy__(self) -> Self:
        """A copy starts without what was worked out of the original: `model_copy` may give it other values."""
        copied, fields = super().__copy__(), type(self).model_fields
        if len(copied.__dict__) > len(fields):
            for name in copied.__dict__.keys() - fields.keys():
                del copied.__dict__[name]
        return copied

    def __hash__(self) -> int:
        """By content, so that what is worked out of a record can be found by it, whatever is in its fields."""
        return hash(self._digest)

    def body(self) -> Json:
        """The JSON value that the content hash covers."""
        return self.model_dump(mode="json", by_alias=True)

    @cached_property
    def canonical(self) -> bytes:
        """The RFC 8785 bytes of the body; CanonicalError where it holds a float."""
        return canonical_bytes(self.body())

    def digest(self) -> str:
        """sha256 of the canonical bytes; floats (inside a JSON Schema) take their RFC 8785 form."""
        return self._digest

    @cached_property
    def _digest(self) -> str:
        return content_hash(self.body(), allow_floats=True)


class Localised(Record):
    """One text in every language of the bank."""

    en: Annotated[str, StringConstraints(min_length=1)]
    zh: Annotated[str, StringConstraints(min_length=1)]

    def to(self, locale: Locale) -> str:
        """The text in one language."""
        return self.en if locale == "en" else self.zh


class LocalisedList(Record):
    """Alternative wordings in every language of the bank."""

    en: tuple[str, ...] = Field(min_length=1)
    zh: tuple[str, ...] = Field(min_length=1)

    def to(self, locale: Locale) -> tuple[str, ...]:
        """The wordings in one language."""
        return self.en if locale == "en" else self.zh


def reference(identifier: str, version: int) -> str:
    """How a versioned entry is named in messages and keys: `quote-basic@1`."""
    return f"{identifier}@{version}"


Schema = dict[str, Any]
"""A JSON Schema document."""
