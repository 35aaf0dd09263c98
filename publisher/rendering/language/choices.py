"""What the languages say differently, by its mark."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import count

from publisher.rendering.language.language import LANGUAGES, Language

MARK = "\0"
"""Stands on both sides of what names a mark."""
_CHOICE = "\3"
_PLACE = re.compile(r"%\((\w+)\)s")


class Choices:
    """What each language says for a mark: every message of the catalogues by its English text, and for each different
    piece of the templates one mark, made when they are compiled. `said` holds it by language, then by what stands
    between a mark's ends."""

    def __init__(self) -> None:
        messages = {text for language in LANGUAGES for text in language.catalogue.texts}
        self.said: Mapping[str, dict[str, str]] = {
            language.code: {text: language.translated(text) for text in messages} for language in LANGUAGES
        }
        self._marks: dict[tuple[str, ...], str] = {}
        self._numbers = count()

    def add(self, language: Language, said: Mapping[str, str]) -> None:
        """What a language says for marks of another kind."""
        self.said[language.code].update(said)

    def mark(self, texts: Sequence[str]) -> str:
        """The mark of what each language says, in their order; the text itself where it is the same in all."""
        chosen = tuple(texts)
        if len(set(chosen)) == 1:
            return chosen[0]
        if chosen not in self._marks:
            name = f"{_CHOICE}{next(self._numbers)}"
            for language, text in zip(LANGUAGES, chosen, strict=True):
                self.said[language.code][name] = text
            self._marks[chosen] = f"{MARK}{name}{MARK}"
        return self._marks[chosen]


def text_parts(text: str) -> Sequence[str] | None:
    """A text with places for values, in parts: text, the name of a value, text, and so on. None where it isn't such a
    text: a per cent sign in it stands for no value and for no sign."""
    parts = _PLACE.split(text)
    for place in range(0, len(parts), 2):
        if "%" in parts[place].replace("%%", ""):
            return None
        parts[place] = parts[place].replace("%%", "%")
    return parts
