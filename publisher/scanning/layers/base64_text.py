"""Text in base64 or base64url (RFC 4648), anywhere and at any alignment, wrapped over lines too."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterable, Iterator

from publisher.scanning.layers.runs import Runs
from publisher.scanning.text import Reading

_ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_URL_SAFE = bytes.maketrans(b"-_", b"+/")
_TEXT_BYTES = frozenset({9, 10, 13, *range(0x20, 0x7F)})
SHORTEST_GROUPS = 4


_SEXTETS = {**{char: sextet for sextet, char in enumerate(_ALPHABET)}, ord("-"): 62, ord("_"): 63}


def _position(sextets: set[int]) -> bytes:
    """A class of the characters that stand for `sextets` in either alphabet."""
    return b"[" + b"".join(re.escape(bytes([char])) for char, sextet in _SEXTETS.items() if sextet in sextets) + b"]"


# Three bytes of ASCII text leave only some characters possible in each place of a group of four, so that digests,
# ids and words, which use the same characters, hardly ever look like it.
_FIRST = _position({byte >> 2 for byte in _TEXT_BYTES})
_SECOND = _position({(a & 3) << 4 | b >> 4 for a in _TEXT_BYTES for b in _TEXT_BYTES})
_THIRD = _position({(b & 15) << 2 | c >> 6 for b in _TEXT_BYTES for c in _TEXT_BYTES})
_FOURTH = _position({c & 63 for c in _TEXT_BYTES})
MARK = re.compile(b"(?:" + _FIRST + _SECOND + _THIRD + _FOURTH + b"){%d}" % SHORTEST_GROUPS)
# Text full of zero-width characters or in full width has no three bytes of ASCII in a row; what it has, in each of the
# three ways in which a character may lie across groups, is the sextets of U+200B and its like, or of U+FF01.
_CARRIER = rb"(?:4oC[LMNOPqrstu]|[Oeu+-]KA[ijqr]|ig[IK]|4oG[g-v]|[Oeu+-]KB[o-r]|iga|77u[/_]|[Oeu+-][+-]7v|vu7)"
_FULL_WIDTH = (
    rb"(?:(?:77[w-z0-3][A-Za-z0-9+/_-]){2}|(?:[g-v][Oeu+-][+-][89]){2}|(?:v[IJKLYZab][DHLPTXbfjnrvz37/_]v){2})"
)
ODD_MARKS = (
    re.compile(_CARRIER + rb"[A-Za-z0-9+/_-]{1,24}" + _CARRIER),
    re.compile(_FULL_WIDTH),
)
_MARK_ANYWHERE = re.compile(b"(?=" + MARK.pattern + b")")
_RUNS = Runs(_ALPHABET + b"-_", 16, re.compile(rb"(?:[A-Za-z0-9+/_-]{40,}\r?\n[ \t]{0,16})*[A-Za-z0-9+/_-]{16,}={0,2}"))
_WRAP = re.compile(rb"[\s=]+")


class Base64Text:
    """Reads runs of base64 that hold twelve characters of ASCII text or more, or such text with odd characters."""

    marks = (MARK, *ODD_MARKS)

    def readings(self, data: bytes) -> Iterator[Reading]:
        """One reading for each run and alignment."""
        for run in _RUNS.find(data):
            start = run.start()
            joined = _WRAP.sub(b"", run[0])
            for alignment in _alignments(joined):
                yield Reading(_decoded(joined[alignment:]), lambda _, start=start: start)  # type: ignore[misc]


def _alignments(run: bytes) -> Iterable[int]:
    """Where groups of four may begin in a run; nowhere, if it holds no text."""
    if any(mark.search(run) for mark in ODD_MARKS):
        return range(4)
    return sorted({mark.start() % 4 for mark in _MARK_ANYWHERE.finditer(run)})


def _decoded(run: bytes) -> bytes:
    """The bytes of a run; a last character that can't stand alone is left out."""
    run = run.translate(_URL_SAFE)
    if len(run) % 4 == 1:
        run = run[:-1]
    return b64decode(run + b"=" * (-len(run) % 4))
