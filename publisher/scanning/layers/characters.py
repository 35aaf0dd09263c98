"""Characters that look like others or like nothing: compatibility forms (NFKC), zero-width and bidi characters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import chain, groupby

from publisher.scanning.layers.substitution import Substitution

# Where Unicode keeps letters, digits and signs that NFKC turns into ASCII.
_COMPATIBILITY = (
    (0xA0, 0xFF), (0x132, 0x133), (0x13F, 0x140), (0x149, 0x149), (0x17F, 0x17F), (0x1C4, 0x1F3), (0x2B0, 0x2B8),
    (0x2E0, 0x2E3), (0x1D2C, 0x1D6A), (0x1D9C, 0x1DBF), (0x1E9A, 0x1E9B), (0x2070, 0x209C), (0x20A8, 0x20A8),
    (0x2100, 0x217F), (0x2460, 0x24EA), (0x2C7C, 0x2C7D), (0x3250, 0x33FF), (0xA7F1, 0xA7F4), (0xFB00, 0xFB06),
    (0xFE50, 0xFE6B), (0xFF01, 0xFF5E), (0x10781, 0x107BA), (0x1CCD6, 0x1CCF9), (0x1D400, 0x1D7FF), (0x1E030, 0x1E06D),
    (0x1F100, 0x1F1AD), (0x1FBF0, 0x1FBF9),
)  # fmt: skip
# Default_Ignorable_Code_Point of the Unicode Character Database, and the bidi controls.
_IGNORABLE = (
    (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F),
    (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
)  # fmt: skip


def _all(ranges: Iterable[tuple[int, int]]) -> Iterator[str]:
    return (chr(code) for first, last in ranges for code in range(first, last + 1))


_PLAIN = {c: unicodedata.normalize("NFKC", c) for c in _all(_COMPATIBILITY)}
_ASCII = {c: plain for c, plain in _PLAIN.items() if plain.isascii() and c != plain and plain.strip()}
_NOTHING = dict.fromkeys(_all(_IGNORABLE), "")
_REPLACED = {c.encode(): plain.encode() for c, plain in chain(_ASCII.items(), _NOTHING.items())}


def _any_of(characters: Iterable[str]) -> bytes:
    """An expression for one of `characters` as UTF-8."""
    encoded = sorted(char.encode() for char in characters)
    branches = (
        re.escape(lead) + b"[" + b"".join(re.escape(each[-1:]) for each in group) + b"]"
        for lead, group in groupby(encoded, key=lambda each: each[:-1])
    )
    return b"(?:" + b"|".join(branches) + b")"


_LETTERS = [c for c, plain in _ASCII.items() if any(map(str.isalnum, plain))]
# Full-width signs are everyday Chinese punctuation; those that stand inside keys, addresses and paths count where
# ASCII stands on both sides.
_SIGNS = [c for c, plain in _ASCII.items() if plain in {*"-_./:@=+%~&#\\"}]
LETTER_MARK = re.compile(_any_of([*_LETTERS, *_NOTHING]))
SIGN_MARK = re.compile(b"[!-~]" + _any_of(_SIGNS) + b"[!-~]")
CHARACTERS = Substitution(re.compile(_any_of([*_ASCII, *_NOTHING])), lambda match: _REPLACED[match[0]])
