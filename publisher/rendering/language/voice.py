"""Who says the texts of templates: one language, or all of them at once.

Most of a page's bytes are evidence, which is the same in every language. So a page is rendered once, with a mark where
a language has its say, and each language fills in the marks. A mark stands between two NUL characters, which nothing
else can bring into a page: the filters of the environment name every character that can't be seen.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, Protocol

from markupsafe import Markup, escape

from publisher.rendering.language.choices import MARK, Choices, text_parts
from publisher.rendering.language.language import LANGUAGES, Language
from publisher.rendering.visible_text import as_markup, plain

Making = Callable[[Language], str]
"""HTML that a language makes."""
_FACT = "\1"
_MADE = "\2"
_FACTS = (
    "code",
    "tag",
    "locale",
    "name",
    "folder",
    "comma",
    "pause",
    "colon",
    "semicolon",
    "stop",
    "gap",
    "english",
    "up",
)


class NeedsLanguageError(Exception):
    """A template decides something by the language: its page is rendered in each by itself."""


class Voice(Protocol):
    """Answers for the language or languages of a template's environment."""

    @property
    def language(self) -> Any:
        """What templates know as `language`."""
        ...

    def text(self, message: str) -> Markup:
        """A text of the catalogue, as HTML."""
        ...

    def made(self, making: Making) -> Markup:
        """What a language makes of something."""
        ...

    def stripped(self, markup: str) -> Markup:
        """The text of markup without its tags, as HTML."""
        ...

    def settled(self, html: str) -> str:
        """What stands in a template between two expressions, when it is compiled."""
        ...

    def parts(self, text: Callable[[Language], str]) -> Sequence[str] | None:
        """A text with places for values, in parts: HTML, the name of a value, HTML, and so on. None where languages
        put the values in a different order."""
        ...


class OneVoice:
    """Says everything right away."""

    def __init__(self, language: Language) -> None:
        self.language = language

    def text(self, message: str) -> Markup:
        """The text in the language."""
        return as_markup(self.language.translated(message))

    def made(self, making: Making) -> Markup:
        """Made at once."""
        return as_markup(making(self.language))

    def stripped(self, markup: str) -> Markup:
        """Markup without its tags."""
        return _stripped(markup)

    def settled(self, html: str) -> str:
        """As it stands."""
        return html

    def parts(self, text: Callable[[Language], str]) -> Sequence[str] | None:
        """In the order of the language."""
        return text_parts(text(self.language))


class EveryVoice(threading.local):
    """Leaves marks, and fills them in for one language after another when the page is rendered. `choices` are those of
    the templates, the same in every thread."""

    def __init__(self, choices: Choices) -> None:
        self.language = _AnyLanguage()
        self._choices = choices
        self._made: dict[str, list[str]] = {}
        for language in LANGUAGES:
            choices.add(language, _facts(language))
        self.begin()

    def begin(self) -> None:
        """A page begins."""
        self._made = {}

    def text(self, message: str) -> Markup:
        """A mark that names the message."""
        return as_markup(f"{MARK}{message}{MARK}")

    def made(self, making: Making) -> Markup:
        """What every language makes the same, or a mark that leads to what each has made."""
        said = [making(language) for language in LANGUAGES]
        if said.count(said[0]) == len(said):
            return as_markup(said[0])
        name = f"{_MADE}{len(self._made)}"
        self._made[name] = [
            self.said(text, language) if MARK in text else text for text, language in zip(said, LANGUAGES, strict=True)
        ]
        return as_markup(f"{MARK}{name}{MARK}")

    def stripped(self, markup: str) -> Markup:
        """Markup with marks, without its tags in every language."""
        if MARK not in markup:
            return _stripped(markup)
        return self.made(lambda language: _stripped(self.said(markup, language)))

    def settled(self, html: str) -> str:
        """One mark in place of all that stand in it."""
        return self._choices.mark([self.said(html, language) for language in LANGUAGES]) if MARK in html else html

    def parts(self, text: Callable[[Language], str]) -> Sequence[str] | None:
        """A mark in place of each part that languages say differently."""
        found = [text_parts(text(language)) for language in LANGUAGES]
        first = found[0]
        if first is None or any(parts is None or parts[1::2] != first[1::2] for parts in found):
            return None
        said = zip(*(parts for parts in found if parts is not None), strict=True)
        return [part[0] if place % 2 else self._choices.mark(part) for place, part in enumerate(said)]

    def said(self, page: str, language: Language) -> str:
        """The page since `begin`, or a piece of it, in one language."""
        return self._filled(page.split(MARK), language)

    def said_in_each(self, page: str) -> list[str]:
        """The page in every language, in their order."""
        pieces = page.split(MARK)
        return [self._filled(pieces.copy(), language) for language in LANGUAGES]

    def _filled(self, pieces: list[str], language: Language) -> str:
        """Every second of them stands for what a language says."""
        known, place = self._choices.said[language.code], LANGUAGES.index(language)
        own = {name: said[place] for name, said in self._made.items()}
        marks = pieces[1::2]
        # What no mark stands for is the text itself: first of all pages, then of this page.
        said = list(map(known.get, marks, marks))
        pieces[1::2] = map(own.get, said, said)
        return "".join(pieces)


def _stripped(markup: str) -> Markup:
    if "<" in markup or "&" in markup:
        return escape(plain(Markup(markup).striptags()))
    return escape(plain(" ".join(markup.split())))


class _Fact(Markup):
    """A mark for something of the language. It may be printed; nothing can be decided by it."""

    __slots__ = ()

    def _undecided(self, *_: object) -> NoReturn:
        raise NeedsLanguageError

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __hash__ = __bool__ = _undecided


class _AnyLanguage:
    """Stands in for a `Language`: each of its facts is a mark."""

    __slots__ = ("_prefix",)

    def __init__(self, prefix: str = "") -> None:
        self._prefix = prefix

    @property
    def others(self) -> Sequence[_AnyLanguage]:
        """As many as each language has."""
        return [_AnyLanguage(f"{place}.") for place in range(len(LANGUAGES) - 1)]

    def __getattr__(self, name: str) -> _Fact:
        if name not in _FACTS:
            raise NeedsLanguageError
        return _Fact(f"{MARK}{_FACT}{self._prefix}{name}{MARK}")


def _facts(language: Language) -> Mapping[str, str]:
    """What marks of facts stand for, by what stands between their ends."""
    told = [("", language), *((f"{place}.", other) for place, other in enumerate(language.others))]
    return {f"{_FACT}{prefix}{name}": escape(plain(getattr(found, name))) for prefix, found in told for name in _FACTS}
