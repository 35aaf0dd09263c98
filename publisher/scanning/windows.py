"""A large stream as overlapping windows, so that memory stays flat."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

WINDOW = 4 * 1024 * 1024
# More than twice the longest text a rule looks for, the encoded form of a known value (3 × 8,192) included.
OVERLAP = 128 * 1024

# A window begins and ends where no token can be cut: half a token can look like something else.
_BREAK = re.compile(rb"[\s\"'<>,;(){}\[\]]")


class Window(NamedTuple):
    """A piece of a stream and the number of its first line, from 1."""

    data: bytes
    first_line: int


def windows(stream: BinaryIO, head: bytes) -> Iterator[Window]:
    """The stream, `head` being what was read of it already, in pieces of about `WINDOW` bytes."""
    held, line, is_first = head, 1, True
    while True:
        held += _read(stream, WINDOW + OVERLAP - len(held))
        is_last = len(held) < WINDOW + OVERLAP
        lead = 0 if is_first else _lead(held)
        tail = len(held) if is_last else _tail(held)
        yield Window(held[lead:tail], line + held.count(b"\n", 0, lead))
        if is_last:
            return
        line += held.count(b"\n", 0, WINDOW)
        held, is_first = held[WINDOW:], False


def _read(stream: BinaryIO, size: int) -> bytes:
    """Up to `size` bytes, fewer only at the end: a pipe gives what it has."""
    pieces: list[bytes] = []
    while size > 0 and (piece := stream.read(size)):
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def _lead(held: bytes) -> int:
    """Where the first whole token begins; 0 where one token fills half the overlap."""
    match = _BREAK.search(held, 0, OVERLAP // 2)
    return match.end() if match else 0


def _tail(held: bytes) -> int:
    """Where the last whole token ends."""
    base = len(held) - OVERLAP // 2
    last = max((match.start() for match in _BREAK.finditer(held, base)), default=None)
    return len(held) if last is None else last
