"""Texts made in Python, said in a page's language only when the page is rendered.

A message holds the English text, which is its id in the catalogues, and the values of its `%(name)s` places.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from publisher.rendering.language.language import Language


class Sayable:
    """What is said in a language: `str()` of it is English. No abstract base class: every expression of every page is
    asked whether it is one, and those answer slowly."""

    __slots__ = ()

    def said(self, language: Language) -> str:
        """The text, not escaped."""
        raise NotImplementedError

    def __str__(self) -> str:
        from publisher.rendering.language.language import ENGLISH

        return self.said(ENGLISH)


class _Worded(Sayable):
    """A text with values; equal where all of it is."""

    __slots__ = ("_key", "text", "values")

    def __init__(self, text: str, values: Mapping[str, Any]) -> None:
        self.text, self.values = text, dict(values)
        self._key = (type(self), text, tuple(sorted(self.values.items())))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Worded) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"

    def _filled(self, text: str, language: Language) -> str:
        return text % {name: language.said(value) for name, value in self.values.items()} if self.values else text


class Message(_Worded):
    """`Message("%(passed)s of %(planned)s passed", passed=3, planned=20)`."""

    __slots__ = ()

    def __init__(self, text: str, /, **values: Any) -> None:
        super().__init__(text, values)

    def said(self, language: Language) -> str:
        """The text in one language; whole numbers among its values are grouped."""
        return self._filled(language.translated(self.text), language)


class Plural(_Worded):
    """`Plural("%(count)s run", "%(count)s runs", 3)`: one of two texts, by a count."""

    __slots__ = ("_count", "_plural")

    def __init__(self, singular: str, plural: str, count: int, /, **values: Any) -> None:
        super().__init__(singular, {"count": count, **values})
        self._plural, self._count = plural, count
        self._key = (type(self), singular, tuple(sorted(self.values.items())))

    def said(self, language: Language) -> str:
        """The text in one language, of the count's form."""
        return self._filled(language.translated_plural(self.text, self._plural, self._count), language)


class Joined(Sayable):
    """Several texts one after another, with the language's own comma or another text between."""

    __slots__ = ("_parts", "_separator")

    def __init__(self, parts: tuple[Any, ...], separator: str | None = None) -> None:
        self._parts, self._separator = parts, separator

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Joined) and (self._parts, self._separator) == (other._parts, other._separator)

    def __hash__(self) -> int:
        return hash((self._parts, self._separator))

    def said(self, language: Language) -> str:
        """The parts, each said."""
        between = self._separator if self._separator is not None else language.comma
        return between.join(language.said(part) for part in self._parts)


class Localized(Sayable):
    """A text that a pack has in each language."""

    __slots__ = ("_texts",)

    def __init__(self, texts: Any) -> None:
        self._texts = texts

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Localized) and self._texts == other._texts

    def __hash__(self) -> int:
        return hash(self._texts)

    def said(self, language: Language) -> str:
        """The one in the language."""
        return str(getattr(self._texts, language.code))


def marked(text: str) -> str:
    """The text itself: names a message id that is translated where it is shown, so that the catalogue takes it."""
    return text
