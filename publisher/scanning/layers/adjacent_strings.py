"""A key cut into neighbouring strings: elements of an array, numbered members, pieces of a stream, `"a" + "b"`."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import partial

from publisher.scanning.text import Reading

_CHARACTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+/=.~-"
_CLASS = b"[" + re.escape(_CHARACTERS) + b"]"
_GAP = rb"\s{0,16}"
# Elements of an array and literals added up: what follows is no name, or a colon would come after it.
_ELEMENTS = _GAP + rb"[,+.&\\]?" + _GAP + rb"[\"']"
_NO_NAME = _CLASS + rb"*(?:[^\"':A-Za-z0-9_+/=.~-]|[\"']" + _GAP + rb"[^\s:])"
# Members whose names say that they are parts: `key1` and `key2`, `a` and `b`, `first_part` and `second_part`.
_PART = (
    rb"\"(?:[^\"\\\n]{0,31}[^\"\\\n0-9][0-9]{1,2}|[A-Za-z]|(?:[^\"\\\n]{0,16}[_.-])?"
    rb"(?:part|piece|chunk|segment|half|head|tail|first|second|prefix|suffix))\""
)
_MEMBERS = _GAP + rb"," + _GAP + _PART + _GAP + rb":" + _GAP + rb"\""
# Objects one after the other with a piece of text each, as providers stream answers.
_PIECES = (
    _GAP + rb"\}" + _GAP + rb"," + _GAP + rb"\{" + _GAP
    + rb"\"(?:text|content|delta|data|chunk|token|value|part|piece|arguments|[a-z])\"" + _GAP + rb":" + _GAP + rb"\""
)  # fmt: skip
# The rest of a key is no short word and has a digit or a capital soon; it is no number, date or name: those stand in
# rows everywhere.
_LONG = rb"[a-z_+/=.~-]{0,8}[A-Z0-9]" + _CLASS + rb"{6}"
_MIXED = rb"[a-z_+/=.~-]{0,8}(?:[A-Z][a-z]{0,16}[A-Z0-9_+/=.~-]|[0-9][0-9./-]{0,16}[A-Za-z_+=~])"
# Whatever is both, and a little more, without the look ahead that the gate can't express.
_LONG_AND_MIXED = (
    rb"[a-z_+/=.~-]{0,8}(?:[A-Z]" + _CLASS + rb"{6}|[0-9](?:[0-9./-]{5,16}[A-Za-z_+=~]|"
    + b"|".join(b"[0-9./-]" * digits + b"[A-Za-z_+=~]" + _CLASS * (5 - digits) for digits in range(5))
    + b"))"
)  # fmt: skip
# Each from the closing quotation mark of the first string to the opening one of the next, and what must follow.
_SEAMS = ((_ELEMENTS, _NO_NAME), (_MEMBERS, b""), (_PIECES, b""))
_QUOTE = rb"[\"']"
_FIND = re.compile(
    _QUOTE + rb"(?<=" + _CLASS + rb"{4}" + _QUOTE + rb")(?:"
    + b"|".join(seam + b"(?=" + _LONG + after + b")(?=" + _MIXED + b")" for seam, after in _SEAMS)
    + b")"
)  # fmt: skip
# The longest keys without a form of their own are shorter than this.
LONGEST_PIECE = 512
_PIECE = re.compile(_CLASS + b"{1,%d}" % LONGEST_PIECE)


class AdjacentStrings:
    """Reads the words on both sides of a seam as one. What stands farther from it is seen where it stands."""

    # Less than `_FIND` asks for: what the gate finds fastest.
    marks = (
        re.compile(_QUOTE + _ELEMENTS + _LONG_AND_MIXED + _NO_NAME),
        re.compile(_QUOTE + _MEMBERS + _LONG),
        re.compile(_QUOTE + _PIECES + _LONG),
    )

    def readings(self, data: bytes) -> Iterator[Reading]:
        """One reading with each row of neighbouring words on a line of its own; none without any."""
        made: list[bytes] = []
        starts, origins = [], []
        length = 0
        for start, word, begins_row in _words(data):
            if begins_row and made:
                made.append(b"\n")
                length += 1
            starts.append(length)
            origins.append(start)
            made.append(word)
            length += len(word)
        if made:
            yield Reading(b"".join(made), partial(_origin, starts, origins))


def _words(data: bytes) -> Iterator[tuple[int, bytes, bool]]:
    """Each word beside a seam, where it stands, and whether it is the first of its row."""
    end = -1
    for seam in _FIND.finditer(data):
        if seam.start() != end:
            near = data[max(0, seam.start() - LONGEST_PIECE) : seam.start()]
            left = near[len(near.rstrip(_CHARACTERS)) :]
            yield seam.start() - len(left), left, True
        right = _PIECE.match(data, seam.end())
        if right:
            yield right.start(), right[0], False
            end = right.end()


def _origin(starts: Sequence[int], origins: Sequence[int], offset: int) -> int:
    """The byte of the word that it stands in."""
    at = bisect_right(starts, offset) - 1
    return origins[at] + offset - starts[at]
