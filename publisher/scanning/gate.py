"""Which of many patterns occur in a text at all: one pass of a native engine, so that rules run where they can hit.

The engine is Vectorscan (BSD-3-Clause), through the `hyperscan` wheel (MIT).
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Sequence, Set
from functools import cache
from itertools import accumulate

import hyperscan

from publisher.scanning.databases import Expression, compiled, kept

# So that an expression is reported once, may let through what the engine can't express, and finds a text that stands
# between line breaks as it would find it alone.
FLAGS = hyperscan.HS_FLAG_SINGLEMATCH | hyperscan.HS_FLAG_PREFILTER | hyperscan.HS_FLAG_MULTILINE

# So much is given to the engine at once: long enough for other threads to work meanwhile, short enough that what occurs
# in one text makes few others be looked at alone.
GROUP_BYTES = 128 * 1024


class Gate:
    """Patterns in rows, numbered from 0 through all rows. Holds no state of a scan; shared by threads.

    A row is a pass of its own: patterns without a word in them (runs of a set of characters) take the engine several
    times as long beside patterns of another kind as by themselves.

    The engine reads each pattern as a prefilter: what it can't express (a look behind, say) it leaves out, so it may
    name a pattern that doesn't match, and never passes over one that does.
    """

    def __init__(
        self,
        *rows: Sequence[re.Pattern[bytes]],
        make: Callable[[Sequence[Expression]], hyperscan.Database] = compiled,
    ) -> None:
        firsts = accumulate((len(row) for row in rows), initial=0)
        numbered = [[*enumerate(row, first)] for row, first in zip(rows, firsts, strict=False)]
        # One byte stands in so many texts that the engine would be called for each.
        self._bytes = [(number, each.pattern[-1:]) for row in numbered for number, each in row if _is_byte(each)]
        expressions = [[_expression(number, each) for number, each in row if not _is_byte(each)] for row in numbered]
        self._passes = [Pass(make(row)) for row in expressions if row]

    def passed(self, data: bytes) -> Set[int]:
        """The numbers of all patterns that occur in `data`, and perhaps of some that don't."""
        return self.passed_each([data])[0]

    def passed_each(self, texts: Sequence[bytes]) -> list[set[int]]:
        """The same for each of `texts`. Those together in which nothing occurs take one call of the engine: a thread
        that calls it for every text waits for the others more than it scans."""
        found = [{number for number, byte in self._bytes if byte in text} for text in texts]
        for group in _groups(texts):
            together = joined(texts[group])
            for each in self._passes:
                if group.stop - group.start == 1 or each.sees_any(together):
                    for text, numbers in zip(texts[group], found[group], strict=True):
                        each.look(text, numbers)
        return found


def _groups(texts: Sequence[bytes]) -> Iterator[slice]:
    """The texts in their order, in groups of about `GROUP_BYTES`."""
    start = size = 0
    for end, text in enumerate(texts, 1):
        size += len(text)
        if size >= GROUP_BYTES or end == len(texts):
            yield slice(start, end)
            start, size = end, 0


def joined(texts: Sequence[bytes]) -> bytes:
    """A text in which every pattern occurs that occurs in one of `texts`: to the gate, the edges of a line are those
    of a text."""
    return b"\n" + b"\n".join(texts) + b"\n"


class Pass:
    """One database, with working memory for each thread."""

    def __init__(self, database: hyperscan.Database) -> None:
        self._database = database
        self._own = threading.local()

    def look(self, data: bytes, found: set[int]) -> None:
        """Adds the numbers of the patterns that occur in `data`."""
        scratch = getattr(self._own, "scratch", None)
        if scratch is None:
            scratch = self._own.scratch = hyperscan.Scratch(self._database)

        def note(number: int, _start: int, _end: int, _flags: int, _context: object) -> None:
            found.add(number)

        self._database.scan(data, match_event_handler=note, scratch=scratch)

    def sees_any(self, data: bytes) -> bool:
        """Whether any pattern occurs in `data`."""
        found: set[int] = set()
        self.look(data, found)
        return bool(found)


@cache
def shared_gate(*rows: tuple[re.Pattern[bytes], ...]) -> Gate:
    """The gate for the patterns of the scanner's rules and layers, made once a process and kept for the next one."""
    return Gate(*rows, make=kept)


def _is_byte(pattern: re.Pattern[bytes]) -> bool:
    return pattern.pattern == re.escape(pattern.pattern[-1:]) and not pattern.flags & re.IGNORECASE


def _expression(number: int, pattern: re.Pattern[bytes]) -> Expression:
    return Expression(pattern.pattern, number, _flags(pattern))


def _flags(pattern: re.Pattern[bytes]) -> int:
    return FLAGS | (hyperscan.HS_FLAG_CASELESS if pattern.flags & re.IGNORECASE else 0)
