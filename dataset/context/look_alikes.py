"""What a reader, person or tokenizer, may take for another character: the table behind `defused`.

Sources: Unicode's own compatibility forms (full-width, mathematical and enclosed letters) by NFKC; of the confusables
of UTS 39, the Cyrillic, Greek and Armenian letters that look like the Latin ones; brackets and bars by their shape.
"""

from __future__ import annotations

import unicodedata
from functools import cache

_LETTERS = {
    "a": "аαɑ",
    "b": "ьъвβ",
    "c": "сϲ",
    "d": "ԁ",
    "e": "еєεҽ",
    "f": "ғϝ",
    "g": "ɡց",
    "h": "һнհ",
    "i": "іιıɩ",
    "j": "јϳ",
    "k": "кκ",
    "l": "ӏⅼ",
    "m": "мμ",
    "n": "ոπп",
    "o": "оοօ",
    "p": "рρ",
    "q": "ԛ",
    "r": "гѓ",
    "s": "ѕ",
    "t": "тτ",
    "u": "υսц",
    "v": "ѵν",
    "w": "ѡωԝ",
    "x": "хχ",
    "y": "уγү",
    "z": "ᴢζ",
}
_SIGNS = {
    "<": "〈《⟨⟪‹«❮❰≺⧼˂ᐸ⋖﹤＜",
    ">": "〉》⟩⟫›»❯❱≻⧽˃ᐳ⋗﹥＞",
    "[": "【〔〖〘〚⟦⟬⁅❲［﹝",
    "]": "】〕〗〙〛⟧⟭⁆❳］﹞",
    "|": "│┃❘❙ǀ∣⏐︱︳❚׀ߊ｜￨ⵏ",
    "/": "⁄∕╱⧸／",
    ":": "：﹕︓։׃∶ː꞉",
    "_": "▁＿﹍﹎﹏‗",
    "#": "＃﹟♯",
    "-": "‐‑‒–—―−﹣－",
}
_TABLE = {alike: plain for plain, alikes in (_LETTERS | _SIGNS).items() for alike in alikes}


def folded(text: str) -> str:
    """The text with plain lower-case characters for their look-alikes, character for character."""
    if not text.isascii():
        text = text.translate({ord(char): _plain(char) for char in set(text) if char > "\x7f"})
    # Lower case of ASCII alone keeps the length; the look-alikes are lower case already.
    return text.translate(_LOWER)


_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


@cache
def _plain(char: str) -> str:
    form = unicodedata.normalize("NFKC", char)
    for shape in (char, form, form.lower()):
        if shape in _TABLE:
            return _TABLE[shape]
    return form.lower() if len(form) == len(form.lower()) == 1 else char
