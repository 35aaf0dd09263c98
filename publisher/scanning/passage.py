"""Texts to look at, each with its place, and many of them joined so that a rule runs once."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Literal, NamedTuple, get_args

from publisher.scanning.finding import conceal, printable

Form = Literal["prose", "notation"]
"""`notation` is JSON as written, where harmless digests stand beside names such as "key"; rules that judge a
value by the word before it keep out. Everything else is `prose`."""

FORMS: tuple[Form, ...] = get_args(Form)

# Neither a word character nor white space to any of the engines, so no rule reads across two passages unawares.
SEPARATOR = "\n\x01\n"


class Passage(NamedTuple):
    """A text and where it stands.

    `pointers` holds one JSON pointer (as tokens) per level of nesting; `first_line` numbers the lines of a text
    that has any; `is_key` marks the name of a member, `is_name` that of the document.
    """

    text: str
    source: str
    form: Form = "prose"
    pointers: tuple[tuple[str, ...], ...] = ()
    first_line: int | None = None
    is_key: bool = False
    is_name: bool = False

    def place(self, lines_before: int, secrets: Iterable[str]) -> str:
        """The readable place of a character after `lines_before` line breaks of the text, free of `secrets`,
        which may stand in names too."""
        hidden = tuple(secrets)
        place = printable(conceal(self.source, hidden))
        for tokens in self.pointers:
            place += "#" + "".join("/" + _escaped(conceal(token, hidden)) for token in tokens)
        if self.first_line is not None:
            place += f":{self.first_line + lines_before}"
        return place + (" (key)" if self.is_key else " (name)" if self.is_name else "")


def _escaped(token: str) -> str:
    """A reference token as RFC 6901 writes it."""
    return printable(token.replace("~", "~0").replace("/", "~1"))


class Sheet:
    """Passages, each with its number, joined into one text; `locate` leads back."""

    def __init__(self, passages: Sequence[tuple[int, Passage]]) -> None:
        self._passages = passages
        self._starts = list(accumulate((len(each.text) + len(SEPARATOR) for _, each in passages), initial=0))
        self.text = SEPARATOR.join(passage.text for _, passage in passages)

    def locate(self, offset: int) -> tuple[int, Passage, int]:
        """Number and passage that hold character `offset` of a non-empty sheet, and the offset inside it.

        A match that begins on a separator belongs to the passage after it.
        """
        index = min(bisect_right(self._starts, offset), len(self._passages)) - 1
        number, passage = self._passages[index]
        inside = offset - self._starts[index]
        if inside >= len(passage.text) and index + 1 < len(self._passages):
            return *self._passages[index + 1], 0
        return number, passage, inside
