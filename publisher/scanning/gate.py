"""Which of many patterns occur in a text at all: one pass of a native engine, so that rules run where they can hit.

The engine is Vectorscan (BSD-3-Clause), through the `hyperscan` wheel (MIT).
"""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence, Set
from functools import cache
from itertools import accumulate

import hyperscan

from publisher.scanning.errors import ScanError


class Gate:
    """Patterns in rows, numbered from 0 through all rows. Holds no state of a scan; shared by threads.

    A row is a pass of its own: patterns without a word in them (runs of a set of characters) take the engine several
    times as long beside patterns of another kind as by themselves.

    The engine reads each pattern as a prefilter: what it can't express (a look behind, say) it leaves out, so it may
    name a pattern that doesn't match, and never passes over one that does.
    """

    def __init__(self, *rows: Sequence[re.Pattern[bytes]]) -> None:
        firsts = accumulate((len(row) for row in rows), initial=0)
        self._databases = [_compiled(row, first) for row, first in zip(rows, firsts, strict=False) if row]
        self._own = threading.local()

    def passed(self, data: bytes) -> Set[int]:
        """The numbers of all patterns that occur in `data`, and perhaps of some that don't."""
        found: set[int] = set()

        def note(number: int, _start: int, _end: int, _flags: int, _context: object) -> None:
            found.add(number)

        for database, scratch in zip(self._databases, self._scratches(), strict=True):
            database.scan(data, match_event_handler=note, scratch=scratch)
        return found

    def _scratches(self) -> list[hyperscan.Scratch]:
        """The working memory of this thread."""
        scratches: list[hyperscan.Scratch] | None = getattr(self._own, "scratches", None)
        if scratches is None:
            scratches = self._own.scratches = [hyperscan.Scratch(database) for database in self._databases]
        return scratches


@cache
def shared_gate(*rows: tuple[re.Pattern[bytes], ...]) -> Gate:
    """The gate for some patterns, made once a process: that takes most of a second for all of the scanner's."""
    return Gate(*rows)


def _compiled(patterns: Sequence[re.Pattern[bytes]], first: int) -> hyperscan.Database:
    database = hyperscan.Database()
    try:
        database.compile(
            expressions=[pattern.pattern for pattern in patterns],
            ids=list(range(first, first + len(patterns))),
            elements=len(patterns),
            flags=[_flags(pattern) for pattern in patterns],
        )
    except hyperscan.error as fault:
        raise ScanError("a pattern of the scanner can't be compiled", hint="reinstall the hyperscan package") from fault
    return database


def _flags(pattern: re.Pattern[bytes]) -> int:
    flags = hyperscan.HS_FLAG_SINGLEMATCH | hyperscan.HS_FLAG_PREFILTER
    return flags | (hyperscan.HS_FLAG_CASELESS if pattern.flags & re.IGNORECASE else 0)
