"""What a text must hold for a pattern to match it: most patterns speak of words that most texts don't have.

Read off the pattern's parsed form. Where nothing can be said for certain, nothing is said, and the pattern is tried.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

Words = frozenset[str]
_REPEATS = (parser.MAX_REPEAT, parser.MIN_REPEAT, parser.POSSESSIVE_REPEAT)
_ZERO_WIDTH = (parser.AT, parser.ASSERT_NOT)
_LONG_ENOUGH = 4
# Letters outside ASCII that match an ASCII letter whatever its case; U+212A also does, and `lower` makes it a k.
_OTHER_CASES = re.compile("[ıſİ]")


def comparable(text: str) -> str | None:
    """The text in the form in which needed words are looked for; None where it has letters of a case of their own."""
    return None if _OTHER_CASES.search(text) else text.lower()


def needed_words(pattern: re.Pattern[str]) -> Words | None:
    """Words of which every text that the pattern matches holds at least one in its `comparable` form; or None."""
    return _best(_of_sequence(parser.parse(pattern.pattern, pattern.flags)))


def _best(found: Iterable[Words]) -> Words | None:
    """The choice that rules out most texts: long words rather than short ones, few rather than many."""
    return max(found, key=lambda words: (min(min(map(len, words)), _LONG_ENOUGH), -len(words)), default=None)


def _of_sequence(parts: Iterable[tuple[Any, Any]]) -> list[Words]:
    """What each stretch of letters and each part of a sequence needs; all of it is needed."""
    found: list[Words] = []
    run = ""
    for kind, argument in parts:
        letter = _letter(kind, argument)
        if letter or kind in _ZERO_WIDTH:
            run += letter
            continue
        if run:
            found.append(frozenset((run,)))
        run = ""
        found += _of_part(kind, argument)
    return [*found, frozenset((run,))] if run else found


def _letter(kind: Any, argument: Any) -> str:
    """The one character that a part stands for, in lower case; empty for all else, and for letters of odd cases."""
    if kind is not parser.LITERAL:
        return ""
    lower = chr(argument).lower()
    return lower if lower.isascii() or lower == lower.upper() else ""


def _of_part(kind: Any, argument: Any) -> list[Words]:
    if kind in _REPEATS and argument[0] > 0:
        return _of_sequence(argument[2])
    if kind is parser.SUBPATTERN:
        _, added, removed, inner = argument
        return [] if added or removed else _of_sequence(inner)
    if kind is parser.IN:
        letters = [_letter(*choice) for choice in argument]
        return [frozenset(letters)] if all(letters) else []
    if kind is parser.BRANCH:
        choices = [_best(_of_sequence(branch)) for branch in argument[1]]
        known = [words for words in choices if words is not None]
        return [frozenset().union(*known)] if len(known) == len(choices) else []
    return []
