"""Full-width and look-alike characters made plain, one for one, so that offsets stay true."""

from __future__ import annotations

import re
import unicodedata

_GROUPING_COMMA = re.compile(r"(?<=[0-9])，(?=[0-9]{3}(?![0-9]))".replace("0-9", "０-９"))
_LOOK_ALIKES = {"−": "-", "–": "-", "‑": "-", "‐": "-", "﹣": "-", "￥": "¥", "﹪": "%", "～": "~"}
# A full-width comma is punctuation unless it groups full-width digits, which is seen to before.
_KEPT = frozenset("，；！？")


class _Folding(dict[int, str]):
    def __missing__(self, code: int) -> str:
        char = chr(code)
        folded = char
        if char in _LOOK_ALIKES:
            folded = _LOOK_ALIKES[char]
        elif char.isdecimal():
            folded = str(unicodedata.decimal(char))
        elif 0xFF01 <= code <= 0xFF5E and char not in _KEPT:
            folded = chr(code - 0xFEE0)
        self[code] = folded
        return folded


def fold(text: str) -> str:
    """`text` with digits of every script, full-width letters and signs as ASCII; the length never changes."""
    if text.isascii():
        return text
    return _GROUPING_COMMA.sub(",", text).translate(_Folding())
