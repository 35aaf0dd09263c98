"""Compiled patterns of the native engine, kept between processes: compiling takes seconds, loading milliseconds.

They lie in the user's cache folder (`GLASSBENCH_CACHE_DIR` names another). A file that somebody else may write, that is
cut or that was made by another engine is passed over and made anew; where none can be written, nothing is kept.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import NamedTuple

import hyperscan

from publisher.scanning.errors import ScanError

# What was stored so long ago gives way when something else is stored.
KEPT_SECONDS = 30 * 86_400
_SUFFIX = ".patterns"
_DIGEST_BYTES = 32


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
        _store(_file(expressions), hyperscan.dumpb(database))
    return database


def loaded(expressions: Sequence[Expression]) -> hyperscan.Database | None:
    """The database as it was kept; None where there is none that can be trusted."""
    try:
        data = _read(_file(expressions))
        database = hyperscan.loadb(data[_DIGEST_BYTES:], hyperscan.HS_MODE_BLOCK)
        # Only a scan tells whether the engine takes it on this machine.
        database.scan(b"", match_event_handler=lambda *_: None, scratch=hyperscan.Scratch(database))
    except (OSError, ValueError, RuntimeError, hyperscan.error):
        return None
    return database


def _file(expressions: Sequence[Expression]) -> Path:
    """Where they are kept: the name tells patterns, engine and machine."""
    engine = compiled([Expression(b"a", 0, 0)]).info()
    made_of = repr((engine, version("hyperscan"), os.name, list(map(tuple, expressions))))
    return _folder() / (sha256(made_of.encode()).hexdigest() + _SUFFIX)


def _folder() -> Path:
    named = os.environ.get("GLASSBENCH_CACHE_DIR")
    if named:
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "glassbench"


def _read(path: Path) -> bytes:
    """Digest and database. Raises OSError or ValueError where they can't be trusted."""
    with path.open("rb") as file:
        status = os.fstat(file.fileno())
        data = file.read()
    if os.name == "posix" and (status.st_uid != os.geteuid() or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)):
        raise ValueError("somebody else may have written it")
    if sha256(data[_DIGEST_BYTES:]).digest() != data[:_DIGEST_BYTES]:
        raise ValueError("it is cut or was changed")
    return data


def _store(path: Path, database: bytes) -> None:
    """Best effort; a reader sees the old file, the new one or none."""
    with suppress(OSError, RuntimeError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        for other in path.parent.glob("*" + _SUFFIX):
            if time.time() - other.stat().st_mtime > KEPT_SECONDS:
                other.unlink(missing_ok=True)
        with NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(sha256(database).digest() + database)
        Path(file.name).replace(path)
