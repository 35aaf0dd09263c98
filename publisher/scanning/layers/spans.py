"""The surroundings of marks: a reading needs what stands beside them, and no more."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

# Far enough for a name before a value and for a long key around a mark.
REACH = 1024
# A span begins and ends where no token can be cut, unless a token is longer than this.
LONGEST_TOKEN = 16 * 1024
_BREAK = re.compile(rb"[\s\"'<>,;(){}\[\]]")
_BREAKS = [bytes([char]) for char in b" \t\r\n\"'<>,;(){}[]"]


def spans(data: bytes, marks: Sequence[re.Pattern[bytes]]) -> Iterator[tuple[int, int]]:
    """Start and end of each part of `data` within reach of one of `marks`, in order and without overlap."""
    start = end = -1
    for match in sorted(match.span() for mark in marks for match in mark.finditer(data)):
        if start >= 0 and match[0] - REACH <= end:
            end = max(end, match[1] + REACH)
            continue
        if start >= 0:
            yield _whole_tokens(data, start, end)
        start, end = max(0, match[0] - REACH), match[1] + REACH
    if start >= 0:
        yield _whole_tokens(data, start, end)


def _whole_tokens(data: bytes, start: int, end: int) -> tuple[int, int]:
    """The span, widened to where its first and last token begin and end."""
    floor = max(0, start - LONGEST_TOKEN)
    head = data[floor:start]
    start = floor + max(head.rfind(mark) for mark in _BREAKS) + 1 if start else 0
    after = _BREAK.search(data, min(end, len(data)), end + LONGEST_TOKEN)
    return start, after.start() if after else min(len(data), end + LONGEST_TOKEN)
