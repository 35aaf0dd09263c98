"""Credential rules of a maintained engine: kingfisher (Apache-2.0), with the catalogues it brings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import kingfisher_sdk

from publisher.scanning.errors import ScanError
from publisher.scanning.rules.disguise import in_disguise
from publisher.scanning.rules.interface import Hit

PREFIX = "SCAN-CRED:"
# What the engine is tried with: put together here, so that no secret-looking text stands in this file.
_SAMPLE = b"probe gh" + b"p_" + b"a8F3kLm29QzXw71TnVbYc5RdEe0HgJpUu4Si"
# The engine takes a text that begins with a byte order mark for UTF-16, which may be a lie.
_LEAD = b"\n"
# A provider's request id is random after its hyphen, so that now and then it begins like a key.
_ID_BEFORE = re.compile(rb"(?<![A-Za-z0-9])(?:chatcmpl|cmpl|gen|req)-\Z")
_REACH_BEFORE = 10


class CredentialEngine:
    """Finds what the engine's rules describe: `SCAN-CRED:<rule of the engine>`.

    It looks at every text, since only the engine knows where its rules may hit; that takes it 5 ms a megabyte.
    Raises ScanError when the engine is missing, fails, or doesn't find a known sample.
    """

    marks: tuple[re.Pattern[bytes], ...] = ()

    def __init__(self) -> None:
        if not list(self.find(_SAMPLE)):
            raise ScanError(
                "the credential engine does not find its own sample", hint="reinstall kingfisher-secret-scanner"
            )

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
    """The engine's findings; its errors, and those of loading it, as ScanError without their text."""
    try:
        return _engine().scan(data)
    except (RuntimeError, ValueError, OSError, TimeoutError) as fault:
        raise ScanError(
            f"the credential engine failed ({type(fault).__name__})", hint="reinstall kingfisher-secret-scanner"
        ) from None


@cache
def _engine() -> kingfisher_sdk.Scanner:
    """One engine a process: making it takes a third of a second, and seconds where its cache can't be written."""
    return kingfisher_sdk.Scanner(base64=False)
