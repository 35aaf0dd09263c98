"""Which of many patterns occur in a text at all: one pass of a native engine, so that rules run where they can hit.

The engine is Vectorscan (BSD-3-Clause), through the `hyperscan` wheel (MIT).
"""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence, Set
from functools import cache

import hyperscan

from publisher.scanning.errors import ScanError


class Gate:
    """Patterns numbered from 0. Holds no state of a scan; shared by threads.

    The engine reads each pattern as a prefilter: what it can't express (a look behind, say) it leaves out, so it may
    name a pattern that doesn't match, and never passes over one that does.
    """

    def __init__(self, patterns: Sequence[re.Pattern[bytes]]) -> None:
        self._database = hyperscan.Database()
        self._own = threading.local()
        try:
            self._database.compile(
                expressions=[pattern.pattern for pattern in patterns],
                ids=list(range(len(patterns))),
                elements=len(patterns),
                flags=[_flags(pattern) for pattern in patterns],
            )
        except hyperscan.error as fault:
            raise ScanError(
                "a pattern of the scanner can't be compiled", hint="reinstall the hyperscan package"
            ) from fault

    def passed(self, data: bytes) -> Set[int]:
        """The numbers of all patterns that occur in `data`, and perhaps of some that don't."""
        found: set[int] = set()

        def note(number: int, _start: int, _end: int, _flags: int, _context: object) -> None:
            found.add(number)

        self._database.scan(data, match_event_handler=note, scratch=self._scratch())
        return found

    def _scratch(self) -> hyperscan.Scratch:
        scratch: hyperscan.Scratch | None = getattr(self._own, "scratch", None)
        if scratch is None:
            scratch = self._own.scratch = hyperscan.Scratch(self._database)
        return scratch


@cache
def shared_gate(patterns: tuple[re.Pattern[bytes], ...]) -> Gate:
    """The gate for some patterns, made once a process: that takes most of a second for all of the scanner's."""
    return Gate(patterns)


def _flags(pattern: re.Pattern[bytes]) -> int:
    flags = hyperscan.HS_FLAG_SINGLEMATCH | hyperscan.HS_FLAG_PREFILTER
    return flags | (hyperscan.HS_FLAG_CASELESS if pattern.flags & re.IGNORECASE else 0)
