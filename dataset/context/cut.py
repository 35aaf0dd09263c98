"""Where a text may be cut: between words or clauses where one ends near, never within a number, word or character."""

from __future__ import annotations

import unicodedata

REACH = 24
"""How many characters a cut may move to find a space or stop, or else the end of a word or number."""
_SIGNS = frozenset(".,:%-/_+'")
_NUMERALS = frozenset("零〇一二三四五六七八九十百千万亿两点分之兆")
_STOPS = frozenset("。，；！？、）」』")
_JOINER = "\u200d"


def cut_back(text: str, at: int) -> int:
    """The place to cut at or before `at`."""
    return _moved(text, at, -1)


def cut_forward(text: str, at: int) -> int:
    """The place to cut at or after `at`."""
    return _moved(text, at, 1)


def _moved(text: str, at: int, step: int) -> int:
    # What is short keeps at least three quarters of its length.
    reach = min(REACH, (at if step < 0 else len(text) - at) // 4)
    for fits in (_between_words, _outside_words):
        for place in range(at, at + step * (reach + 1), step):
            if _ends(text, place) or fits(text, place):
                return place
    while not _ends(text, at) and _within_character(text, at):
        at += step
    return at


def _ends(text: str, at: int) -> bool:
    return at <= 0 or at >= len(text)


def _between_words(text: str, at: int) -> bool:
    return (text[at - 1].isspace() or text[at].isspace() or text[at - 1] in _STOPS) and not _within_character(text, at)


def _outside_words(text: str, at: int) -> bool:
    return not (_of_word(text[at - 1]) and _of_word(text[at])) and not _within_character(text, at)


def _of_word(char: str) -> bool:
    """Whether a character belongs to a word or number: a Chinese numeral does, any other Chinese one stands alone."""
    if char.isascii():
        return char.isalnum() or char in _SIGNS
    return char.isdigit() or char in _NUMERALS or (char.isalpha() and char < "\u2e80")


def _within_character(text: str, at: int) -> bool:
    """Whether a cut would part what a reader sees as one character: combining marks, joined emoji, flags, syllables."""
    before, after = text[at - 1], text[at]
    if after < "\u0300":
        return before == "\r" and after == "\n"
    return (
        unicodedata.category(after) in ("Mn", "Mc", "Me")
        or _JOINER in (before, after)
        or "\U0001f3fb" <= after <= "\U0001f3ff"  # skin tones
        or ("\U0001f1e6" <= before <= "\U0001f1ff" and "\U0001f1e6" <= after <= "\U0001f1ff")  # the halves of a flag
        or "\U000e0020" <= after <= "\U000e007f"  # tags behind a flag
        or "\u1160" <= after <= "\u11ff"  # vowels and finals of a Korean syllable
        or ("\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff")
    )
