"""Credential rules of a maintained engine: kingfisher (Apache-2.0), with the catalogues it brings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Protocol

import kingfisher_sdk

from publisher.scanning.errors import ScanError
from publisher.scanning.rules.disguise import in_disguise
from publisher.scanning.rules.engine_gate import WORTHWHILE_BYTES, EngineGate
from publisher.scanning.rules.interface import Hit

PREFIX = "SCAN-CRED:"
# What the engine is tried with: put together here, so that no secret-looking text stands in this file.
_SAMPLE = b"probe gh" + b"p_" + b"a8F3kLm29QzXw71TnVbYc5RdEe0HgJpUu4Si"
# The engine takes a text that begins with a byte order mark for UTF-16, which may be a lie.
_LEAD = b"\n"
# A provider's request id is random after its hyphen, so that now and then it begins like a key.
_ID_BEFORE = re.compile(rb"(?<![A-Za-z0-9])(?:chatcmpl|cmpl|gen|req)-\Z")
_REACH_BEFORE = 10


class TextGate(Protocol):
    """What tells whether the engine can find anything in a text."""

    def may_hold(self, data: bytes) -> bool:
        """False only where it can't."""
        ...


class CredentialEngine:
    """Finds what the engine's rules describe: `SCAN-CRED:<rule of the engine>`.

    Which texts the engine looks at, a gate of its own tells: the patterns of its rules are its own.
    Raises ScanError when the engine is missing, fails, or doesn't find a known sample.
    """

    marks: tuple[re.Pattern[bytes], ...] = ()

    def __init__(self, *, make_gate: Callable[[], TextGate] | None = None) -> None:
        self._gate = (make_gate or _shared_gate)()
        if not self.may_hold(_SAMPLE) or not list(self.find(_SAMPLE)):
            raise ScanError(
                "the credential engine does not find its own sample", hint="reinstall kingfisher-secret-scanner"
            )

    def may_hold(self, data: bytes) -> bool:
        """Whether the engine has to look at it."""
        return self._gate.may_hold(_LEAD + data)

    def find(self, data: bytes) -> Iterator[Hit]:
        """Hits in the engine's order."""
        for found in _scan(_LEAD + data):
            start, end = (found.location[edge] - len(_LEAD) for edge in ("start_offset", "end_offset"))
            if found.visible and not _is_id(data, start, end) and not in_disguise(data, start, end):
                name = re.split(r"[./]", found.rule_id)[-1]
                yield Hit(PREFIX + name, f"credential: {name}", max(0, start), end)


def _is_id(data: bytes, start: int, end: int) -> bool:
    """Whether it is the random part of a request id."""
    before = data[max(0, start - _REACH_BEFORE) : start]
    return data[start:end].isalnum() and _ID_BEFORE.search(before) is not None


def _scan(data: bytes) -> list[kingfisher_sdk.Finding]:
    """The engine's findings."""
    with _told_as_scan_error():
        return _engine().scan(data)


@contextmanager
def _told_as_scan_error() -> Iterator[None]:
    """The engine's errors, and those of loading it, become ScanErrors without their text."""
    try:
        yield
    except (RuntimeError, ValueError, OSError, TimeoutError) as fault:
        raise ScanError(
            f"the credential engine failed ({type(fault).__name__})", hint="reinstall kingfisher-secret-scanner"
        ) from None


@cache
def _engine() -> kingfisher_sdk.Scanner:
    """One engine a process."""
    return kingfisher_sdk.Scanner(_rules(), base64=False)


@cache
def _rules() -> kingfisher_sdk.Rules:
    """Its rules: loading them takes a third of a second, and seconds where its cache can't be written."""
    return kingfisher_sdk.Rules()


def engine_gate(worthwhile: int = WORTHWHILE_BYTES) -> EngineGate:
    """The gate for the engine's own rules, ready once so many bytes were looked at."""
    with _told_as_scan_error():
        rules = _rules()
        return EngineGate([str(rules.detail(rule["id"])["pattern"]) for rule in rules.metadata()], worthwhile)


_shared_gate = cache(engine_gate)
