"""The languages of the pages: where their pages stand, their catalogue, and how they write what isn't a word."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from markupsafe import Markup

from publisher.rendering.language.catalogue import EMPTY, Catalogue, read_catalogue
from publisher.rendering.language.message import Sayable

LanguageCode = Literal["en", "zh"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Language:
    """One language. Its pages stand in `folder` (empty or with a slash at its end) below the site's root.

    Formats are written here and not taken from a library's locale data: a page has to come out the same, byte for
    byte, whichever version of a library renders it.
    """

    code: LanguageCode
    tag: str
    """As `lang` and `hreflang` have it (BCP 47)."""
    locale: str
    """As Open Graph has it."""
    name: str
    """In the language itself."""
    folder: str
    comma: str
    """Between the items of a list."""
    pause: str
    """Between parts of a sentence."""
    colon: str
    semicolon: str
    stop: str
    """At the end of a sentence; a gap may follow."""
    gap: str
    """What stands between two sentences."""
    day: str
    """How year, month and day are put together: `%(year)s-%(month)s-%(day)s`."""
    catalogue: Catalogue = field(repr=False, compare=False)

    @property
    def english(self) -> Markup:
        """The attribute that an element in English carries on a page of this language."""
        return Markup("" if self.code == "en" else ' lang="en"')

    @property
    def up(self) -> str:
        """The way from where its pages stand to the site's root."""
        return "../" * self.folder.count("/")

    @property
    def others(self) -> tuple[Language, ...]:
        """Every other language."""
        return tuple(language for language in LANGUAGES if language is not self)

    def translated(self, text: str) -> str:
        """A text of the catalogue; English where it has none."""
        return self.catalogue.texts.get(text) or text

    def translated_plural(self, singular: str, plural: str, count: int) -> str:
        """One of two English texts, or the catalogue's text for both: no language here but English tells them apart."""
        return self.catalogue.texts.get(singular) or (singular if count == 1 else plural)

    def date(self, stamp: str) -> str:
        """The day of a UTC time stamp."""
        year, month, day = stamp[:4], stamp[5:7], stamp[8:10]
        return self.day % {"year": year, "month": month, "day": day}

    def moment(self, stamp: str) -> str:
        """A UTC time stamp (`2026-11-30T12:13:23…Z`) to the second."""
        return f"{self.date(stamp)} {stamp[11:19]} UTC"

    def said(self, value: Any) -> str:
        """Any value of a message as this language writes it."""
        if isinstance(value, str):
            return value
        if isinstance(value, Sayable):
            return value.said(self)
        if isinstance(value, int) and not isinstance(value, bool):
            return f"{value:,}"
        return str(value)


ENGLISH = Language(
    code="en",
    tag="en",
    locale="en_US",
    name="English",
    folder="",
    comma=", ",
    pause=", ",
    colon=": ",
    semicolon="; ",
    stop=".",
    gap=" ",
    day="%(year)s-%(month)s-%(day)s",
    catalogue=EMPTY,
)
CHINESE = Language(
    code="zh",
    tag="zh-Hans",
    locale="zh_CN",
    name="简体中文",
    folder="zh/",
    comma="、",
    pause="，",
    colon="：",
    semicolon="；",
    stop="。",
    gap="",
    day="%(year)s年%(month)s月%(day)s日",
    catalogue=read_catalogue("zh"),
)
LANGUAGES = (ENGLISH, CHINESE)
