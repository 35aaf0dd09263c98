"""The base of every frozen record: immutable, closed to unknown fields, hashable by content."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from types import UnionType
from typing import Annotated, Any, Literal, NewType, Self, Union, get_args, get_origin

from annotated_types import GroupedMetadata
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from dataset.canonical import (
    Json,
    canonical_array,
    canonical_bytes,
    canonical_object,
    canonical_plain,
    content_hash,
)

CaseId = NewType("CaseId", str)
VariantId = NewType("VariantId", str)
BatchId = NewType("BatchId", str)
RunId = NewType("RunId", str)

Locale = Literal["en", "zh"]
LOCALES: tuple[Locale, ...] = ("en", "zh")

KEPT_BY_WINDOWS = frozenset(
    ("con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(10)))
)
"""Names that no file may have there, whatever its extension."""


def _free_name(slug: str) -> str:
    if slug in KEPT_BY_WINDOWS:
        raise ValueError(f"{slug!r} can't be a file name on Windows")
    return slug


class _SlugRule(GroupedMetadata):
    """What an id must be to be a safe file name on every file system."""

    pattern = r"^[a-z0-9][a-z0-9-]{0,63}$"

    def __iter__(self) -> Iterator[Any]:
        yield from StringConstraints(pattern=self.pattern)
        yield AfterValidator(_free_name)


SLUG = _SlugRule()
"""What `Annotated[CaseId, SLUG]` holds an id to; an Annotated type in its place would be ignored without a word."""
Slug = Annotated[str, SLUG]
"""An id that is a safe file name everywhere: lower-case letters, digits, hyphens."""
Identifier = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
"""A name that a model may call: a tool, a permission, a scene."""
Version = Annotated[int, Field(ge=1, le=9999)]
Salt = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
"""16 random bytes in hexadecimal: what is hashed together with them can't be guessed from its hash."""
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


def is_empty(value: tuple[Any, ...]) -> bool:
    """Whether a tuple holds nothing."""
    return not value


ABSENT_EMPTY = Field(exclude_if=is_empty)
"""What `Annotated[tuple[Slug, ...], ABSENT_EMPTY] = ()` writes as nothing at all when it is empty: see `ABSENT`."""


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

    def __eq__(self, other: object) -> bool:
        """By content: by its digest where that has been worked out of both, else field by field."""
        if self is other:
            return True
        if type(self) is type(other):
            own, its = self.__dict__.get("_digest"), other.__dict__.get("_digest")
            if own is not None and its is not None:
                return bool(own == its)
        return super().__eq__(other)

    def __hash__(self) -> int:
        """By content, so that what is worked out of a record can be found by it, whatever is in its fields."""
        return hash(self._digest)

    def body(self) -> Json:
        """The JSON value that the content hash covers."""
        return self.__pydantic_serializer__.to_python(self, mode="json", by_alias=True)

    @cached_property
    def canonical(self) -> bytes:
        """The RFC 8785 bytes of the body; CanonicalError where it holds a float."""
        return (canonical_plain if _writes_plain(type(self)) else canonical_bytes)(self.body())

    @cached_property
    def _members(self) -> Mapping[str, bytes]:
        """The canonical bytes of each member of the body."""
        return {name: canonical_bytes(value) for name, value in self.body().items()}

    def changed(self, **values: Any) -> Self:
        """A copy with other values, which must be valid, in fields that have no other name in the body.

        What stays as it was isn't written out again: records of many runs differ in a few fields only.
        """
        copied = self.model_copy(update=values)
        own = {name: _written(value) for name, value in values.items()}
        copied.__dict__["canonical"] = canonical_object({**self._members, **own})
        return copied

    def digest(self) -> str:
        """sha256 of the canonical bytes; floats (inside a JSON Schema) take their RFC 8785 form."""
        return self._digest

    @cached_property
    def _digest(self) -> str:
        return content_hash(self.body(), allow_floats=True)


def _written(value: Any) -> bytes:
    """The canonical bytes of a field's value."""
    if isinstance(value, Record):
        return value.canonical
    return canonical_array(map(_written, value)) if isinstance(value, tuple) else canonical_bytes(value)


@cache
def _writes_plain(kind: type[Record]) -> bool:
    """Whether the body of such a record holds JSON's own types without floats, whatever is in its fields."""
    return all(_is_plain(field.annotation) for field in kind.model_fields.values())


def _is_plain(kind: Any) -> bool:
    """Whether all values of a declared type are plain; no for what this doesn't know."""
    if isinstance(kind, NewType):
        return _is_plain(kind.__supertype__)
    if isinstance(kind, type) and issubclass(kind, Record):
        return _writes_plain(kind)
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Literal:
        return all(type(part) in (str, int, bool) for part in parts)
    if origin is Annotated:
        return _is_plain(parts[0])
    if origin in (Union, UnionType, tuple, dict):
        return all(part is Ellipsis or _is_plain(part) for part in parts)
    return kind in (str, int, bool, type(None))


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
