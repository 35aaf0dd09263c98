"""Which texts the credential engine can find anything in: the patterns of its rules, looked for several times as fast.

The engine (kingfisher, `crates/kingfisher-scanner/src/scanner.rs`) first looks for the patterns of all its rules with
Vectorscan, byte by byte, and finds nothing where none occurs. Here the same patterns are looked for by the same means,
made a little wider, and reported once each: what doesn't hold any of them needn't be given to the engine, which hashes
every text and finds the place of every match. Texts with NULs go to the engine in any case, since it may take them for
UTF-16 or UTF-32.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence

import hyperscan

from publisher.scanning.databases import Expression, kept, loaded
from publisher.scanning.gate import FLAGS, Pass

# Whether or not the engine sets this or MULTILINE itself, its patterns occur in no other places.
_FLAGS = FLAGS | hyperscan.HS_FLAG_DOTALL
# With MULTILINE, the edges of a line, those of the text among them.
_EDGES = {r"\A": "^", r"\z": "$", r"\Z": "$"}
# A process that has this much to look at compiles the patterns, if no other did so before: it takes a second.
WORTHWHILE_BYTES = 32 * 1024 * 1024
# Longer rows of the same kind of character are long to compile, and as rare as rows of this length.
LONGEST_REPEAT = 64
# Escapes with braces of their own, other escapes, classes, repeats, and any other character.
_PART = re.compile(
    r"\\[xpPuU]\{[^}]*\}|\\.|\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]|\{(?P<least>\d+)(?P<most>,\d*)?\}|.", re.DOTALL
)


class EngineGate:
    """Tells whether a text may hold anything; says yes until its patterns are ready. Shared by threads."""

    def __init__(self, patterns: Sequence[str], worthwhile: int = WORTHWHILE_BYTES) -> None:
        self._expressions = [Expression(widened(each).encode(), at, _FLAGS) for at, each in enumerate(patterns)]
        self._left = worthwhile
        self._compiling = threading.Lock()
        database = loaded(self._expressions)
        self._pass = Pass(database) if database else None

    def may_hold(self, data: bytes) -> bool:
        """False only where no pattern occurs in `data` and no NUL does."""
        if self._pass is None:
            self._prepare(len(data))
        if self._pass is None or b"\0" in data:
            return True
        return self._pass.sees_any(data)

    def _prepare(self, size: int) -> None:
        """Compiles the patterns once enough has been looked at; other threads go on without them."""
        self._left -= size
        if self._left < 0 and self._compiling.acquire(blocking=False):
            self._pass = Pass(kept(self._expressions))


def widened(pattern: str) -> str:
    """A pattern that occurs wherever `pattern` does: repeats of more than `LONGEST_REPEAT` times ask for that many and
    have no end, edges of the text are those of any line. Holds for expressions that only say what occurs (none that
    says what doesn't), as those of Vectorscan.
    """
    return _PART.sub(_bounded, pattern)


def _bounded(part: re.Match[str]) -> str:
    if part["least"] is None:
        return _EDGES.get(part[0], part[0])
    least, most = int(part["least"]), (part["most"] or "")[1:]
    largest = int(most) if most else least
    return part[0] if largest <= LONGEST_REPEAT else f"{{{min(least, LONGEST_REPEAT)},}}"
