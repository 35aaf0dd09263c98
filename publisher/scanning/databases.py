"""Compiled patterns of the native engine, kept between processes: compiling takes seconds, loading milliseconds.

One that can't be trusted (dataset.cache), or that was made by another engine, is passed over and made anew.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from hashlib import sha256
from importlib.metadata import version
from typing import NamedTuple

import hyperscan

from dataset.cache import keep, read_kept
from publisher.scanning.errors import ScanError


class Expression(NamedTuple):
    """A pattern in the engine's syntax (that of PCRE), the number it is reported under, and the engine's flags."""

    pattern: bytes
    number: int
    flags: int


def compiled(expressions: Sequence[Expression]) -> hyperscan.Database:
    """The database of `expressions`. Raises ScanError for one that the engine doesn't take."""
    database = hyperscan.Database()
    try:
        database.compile(
            expressions=[expression.pattern for expression in expressions],
            ids=[expression.number for expression in expressions],
            elements=len(expressions),
            flags=[expression.flags for expression in expressions],
        )
    except hyperscan.error as fault:
        raise ScanError("a pattern of the scanner can't be compiled", hint="reinstall the hyperscan package") from fault
    return database


def kept(expressions: Sequence[Expression]) -> hyperscan.Database:
    """The same, loaded where it was compiled before. Only for patterns that hold no secret."""
    database = loaded(expressions)
    if database is None:
        database = compiled(expressions)
        keep(_name(expressions), hyperscan.dumpb(database))
    return database


def loaded(expressions: Sequence[Expression]) -> hyperscan.Database | None:
    """The database as it was kept; None where there is none that can be trusted."""
    data = read_kept(_name(expressions))
    if data is None:
        return None
    try:
        database = hyperscan.loadb(data, hyperscan.HS_MODE_BLOCK)
        # Only a scan tells whether the engine takes it on this machine.
        database.scan(b"", match_event_handler=lambda *_: None, scratch=hyperscan.Scratch(database))
    except (ValueError, RuntimeError, hyperscan.error):
        return None
    return database


def _name(expressions: Sequence[Expression]) -> str:
    """What they are kept under: it tells patterns, engine and machine."""
    engine = compiled([Expression(b"a", 0, 0)]).info()
    made_of = repr((engine, version("hyperscan"), os.name, list(map(tuple, expressions))))
    return sha256(made_of.encode()).hexdigest() + ".patterns"
