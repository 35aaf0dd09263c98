"""Lines of text: how wide they are, where they break, and how they are cut when they don't fit."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from publisher.rendering.cards.atlas import FRACTION, Face
from publisher.rendering.visible_text import plain

ELLIPSIS = "…"
LONGEST = 400
"""Characters looked at: no card has room for more."""
_SPACES = re.compile("[\\s\u00a0\u2000-\u200a\u202f\u205f\u3000]+", re.ASCII)
_ALIKE = str.maketrans({"\u2010": "-", "\u2011": "-", "\u2012": "–", "\u2015": "—", "\u2032": "’"})
# A long name of a model may break after the signs it is joined with; "95 %" stays together.
_PIECES = re.compile(r"[^ \-/_.:]*[\-/_.:]+(?: %)?|[^ \-/_.:]+(?: %)?| ")


def shown(text: str) -> str:
    """The text as a card letters it: unseen characters named, spaces single, no longer than a card can need."""
    return _SPACES.sub(" ", plain(text[:LONGEST])).strip().translate(_ALIKE)


@lru_cache(maxsize=4096)
def width(face: Face, text: str) -> int:
    """The width in 64ths of a pixel, kerning included."""
    advances = sum(face.glyph(character).advance for character in text)
    return advances + sum(face.shift(text[at : at + 2]) for at in range(len(text) - 1))


def pixels(face: Face, text: str) -> int:
    """The width in whole pixels, rounded up."""
    return -(-width(face, text) // FRACTION)


def cut(face: Face, text: str, room: int) -> str:
    """The text, or as much of its beginning as fits into the room (pixels) with an ellipsis."""
    if pixels(face, text) <= room:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if pixels(face, _ended(text, middle)) <= room else (low, middle - 1)
    return _ended(text, low)


def lines(face: Face, text: str, room: int) -> list[str]:
    """The text in as many lines of at most `room` pixels as it needs, their lengths evened out."""
    fewest = _filled(face, text, room)
    narrow, wide = room // 3, room
    while len(fewest) > 1 and wide - narrow > 8:
        middle = (narrow + wide) // 2
        tried = _filled(face, text, middle)
        # A narrower column must not tear a piece that the whole room holds.
        if len(tried) <= len(fewest) and all(pixels(face, piece) <= middle for piece in _PIECES.findall(text)):
            wide = middle
        else:
            narrow = middle
    return _filled(face, text, wide)


def fitted(faces: Sequence[tuple[Face, int]], text: str, room: int) -> tuple[Face, list[str]]:
    """The largest face that holds the text in its number of lines; where none does, the text is cut in the last."""
    for face, most in faces:
        wrapped = lines(face, text, room)
        if len(wrapped) <= most:
            return face, wrapped
    face, most = faces[-1]
    wrapped = _filled(face, text, room)
    return face, [*wrapped[: most - 1], cut(face, "".join(wrapped[most - 1 :]) + ELLIPSIS, room)]


def _ended(text: str, count: int) -> str:
    return text[:count].rstrip(" -/_.:,·") + ELLIPSIS


def _filled(face: Face, text: str, room: int) -> list[str]:
    """Lines filled one after another; a piece wider than a whole line is torn where the line ends."""
    done: list[str] = []
    current, used, limit = "", 0, room * FRACTION
    for piece in _PIECES.findall(text):
        reached = used + face.shift(current[-1:] + piece[:1]) + width(face, piece)
        if piece == " " or reached <= limit:
            current, used = current + piece, reached
            continue
        done.append(current)
        current, used = piece, width(face, piece)
        while used > limit:
            taken = _taken(face, current, limit)
            done.append(current[:taken])
            current = current[taken:]
            used = width(face, current)
    return [line.strip() for line in [*done, current] if line.strip()]


def _taken(face: Face, text: str, limit: int) -> int:
    used = 0
    for at, character in enumerate(text):
        used += face.glyph(character).advance
        if used > limit:
            return max(1, at)
    return len(text)
