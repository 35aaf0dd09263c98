"""What of a text counts when it is searched: no case, no accents, no width, nothing that can't be seen.

Only ranges of characters that no version of Unicode after 14 changes are folded, one character at a time: the same
text gives the same bytes under every Python, and a browser folds a query in the same way. The patterns are written to
mean the same in Python and in JavaScript (flag `u`); the manifest of an index carries them to the page.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

FOLDED = (
    "[A-Z\u00a0-\u02ff\u0370-\u052f\u0531-\u0556\u1e00-\u1fff\u2070-\u209c\u2100-\u218b\u2460-\u24ff\u3000\u3200-\u33ff"
    "\uf900-\ufad9\ufb00-\ufb06\uff01-\uff5e\U0001d400-\U0001d7ff]"
)
"""Characters that have another form which counts in their place: NFKD, lower-cased."""
DROPPED = "[\u00ad\u0300-\u036f\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff]"
"""Accents, and characters that nobody sees: a word is found whatever hides in it."""

_FOLDED = re.compile(FOLDED)
_DROPPED = re.compile(DROPPED)


def folded(text: str) -> str:
    """The text as it counts."""
    if text.isascii():
        return text.lower()
    return _DROPPED.sub("", _FOLDED.sub(lambda match: _form(match[0]), text))


@cache
def _form(character: str) -> str:
    # Each character for itself: whole strings have rules of context, such as the final sigma.
    return "".join(part.lower() for part in unicodedata.normalize("NFKD", character))
