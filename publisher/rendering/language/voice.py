"""Who says the texts of templates: one language, or all of them at once.

Most of a page's bytes are evidence, which is the same in every language. So a page is rendered once, with a mark where
a language has its say, and each language fills in the marks. A mark stands between two NUL characters, which nothing
else can bring into a page: the filters of the environment name every character that can't be seen.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, NoReturn, Protocol

from markupsafe import Markup, escape

from publisher.rendering.language.language import LANGUAGES, Language
from publisher.rendering.visible_text import as_markup, plain

Making = Callable[[Language], str]
"""HTML that a language makes."""
_MARK = "\0"
_FACT = "\1"
_MADE = "\2"
_FACTS = ("code", "tag", "locale", "name", "folder", "comma", "gap", "english", "up")


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


class EveryVoice(threading.local):
    """Leaves marks, and fills them in for one language after another when the page is rendered."""

    def __init__(self) -> None:
        self.language = _AnyLanguage()
        self._makings: list[Making] = []

    def begin(self) -> None:
        """A page begins."""
        self._makings = []

    def text(self, message: str) -> Markup:
        """A mark that names the message."""
        return as_markup(f"{_MARK}{message}{_MARK}")

    def made(self, making: Making) -> Markup:
        """A mark that leads to what is made later."""
        self._makings.append(making)
        return as_markup(f"{_MARK}{_MADE}{len(self._makings) - 1}{_MARK}")

    def stripped(self, markup: str) -> Markup:
        """Markup with marks, without its tags in every language."""
        if _MARK not in markup:
            return _stripped(markup)
        return self.made(lambda language: _stripped(self.said(markup, language)))

    def said(self, page: str, language: Language) -> str:
        """The page since `begin`, or a piece of it, in one language."""
        pieces = page.split(_MARK)
        texts, facts = language.catalogue.texts, _facts(language)
        for place in range(1, len(pieces), 2):
            found = pieces[place]
            if found[:1] == _MADE:
                made = self._makings[int(found[1:])](language)
                pieces[place] = self.said(made, language) if _MARK in made else made
            else:
                pieces[place] = facts[found] if found[:1] == _FACT else texts.get(found) or found
        return "".join(pieces)


def _stripped(markup: str) -> Markup:
    return escape(plain(Markup(markup).striptags()))


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
        return _Fact(f"{_MARK}{_FACT}{self._prefix}{name}{_MARK}")


@cache
def _facts(language: Language) -> Mapping[str, str]:
    """What marks of facts stand for, by what stands between their ends."""
    told = [("", language), *((f"{place}.", other) for place, other in enumerate(language.others))]
    return {f"{_FACT}{prefix}{name}": escape(plain(getattr(found, name))) for prefix, found in told for name in _FACTS}
