"""Text from models and tools as a page shows it: escaped, complete, and with nothing in it unseen.

Characters that a reader can't see, or that change the order of others, are replaced by a mark that names them: control
characters by their name ([NUL], [ESC]: the pictures of U+2400 are missing from many fonts), direction controls,
zero-width and other invisible characters by their number ([U+202E]): all that has the property
Default_Ignorable_Code_Point of the Unicode Character Database, and what fonts draw as nothing besides. The bytes stand
in the JSON beside the page.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, lru_cache, partial

from markupsafe import Markup

_EMOJI = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a-\u23fa\u24c2\u25aa-\u25fe\u2600-\u27bf\u2934\u2935"
    "\u2b05-\u2b55\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
# Line breaks and tabs stay. Of an emoji, the selector of its form stays, and a joiner that makes one picture of two; of
# a key (digit, * or #), the selector before its frame.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200c\u200e\u200f"
    "\u2028-\u202e\u2060-\u206f\u2800\u3164\ufdd0-\ufdef\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
    f"|(?<![{_EMOJI}])(?!(?<=[0-9#*])\ufe0f\u20e3)[\ufe0e\ufe0f]"
    f"|(?<![{_EMOJI}])(?<![{_EMOJI}]\ufe0f)\u200d"
    f"|\u200d(?![{_EMOJI}])"
)
# The abbreviations of ISO/IEC 6429.
# fmt: off
_NAMES = (
    "NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK", "BEL", "BS", "HT", "LF", "VT", "FF", "CR", "SO", "SI",
    "DLE", "DC1", "DC2", "DC3", "DC4", "NAK", "SYN", "ETB", "CAN", "EM", "SUB", "ESC", "FS", "GS", "RS", "US",
)
# fmt: on


is_plain = re.compile("[ !#-%(-;=?-~]*").fullmatch
"""Whether a text is its own HTML: a match where it has nothing to be escaped and nothing unseen. Most strings of a page
are such, and short: what is called for them is most of their cost."""


def plain(text: str) -> str:
    """The text with every unseen character named; for attributes and titles. Not yet escaped."""
    if text.isascii() and text.isprintable():
        return text
    return _UNSEEN.sub(lambda match: _mark(match[0]), text)


def escaped(text: str) -> str:
    """The text as HTML, as `markupsafe.escape` writes it; most of what that costs is asking what it is given."""
    return (
        text.replace("&", "&amp;").replace(">", "&gt;").replace("<", "&lt;").replace("'", "&#39;").replace('"', "&#34;")
    )


@lru_cache(maxsize=4096)
def shown_short(text: str) -> str:
    """A short text as HTML, everything unseen named: names, signs and words come again on every page."""
    return escaped(plain(text))


as_markup: Callable[[str], Markup] = partial(str.__new__, Markup)
"""A text that is known to be HTML. `Markup()` itself asks more of its argument."""


def marked_up(text: str) -> Markup:
    """The text as HTML: escaped, each unseen character named in an element of its own, so that no text can fake one."""
    if is_plain(text):
        return as_markup(text)
    # Lines apart, most texts hold nothing that has to be looked for.
    if text.isascii() and text.replace("\n", "").isprintable():
        return as_markup(escaped(text))
    pieces, last = [], 0
    for match in _UNSEEN.finditer(text):
        pieces += [escaped(text[last : match.start()]), _mark_element(match[0])]
        last = match.end()
    return as_markup("".join([*pieces, escaped(text[last:])]))


@cache
def _mark_element(character: str) -> str:
    return f'<span class="unseen">{escaped(_mark(character))}</span>'


def _mark(character: str) -> str:
    code = ord(character)
    return f"[{_NAMES[code]}]" if code < len(_NAMES) else f"[U+{code:04X}]"
