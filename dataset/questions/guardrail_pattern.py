"""Regular expressions as pack data: terms filled in, compiled, and kept from backtracking without end."""

from __future__ import annotations

import re
from collections.abc import Mapping

_TERM = re.compile(r"\{\{([a-z_]+)\}\}")
_TOKEN = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\{\d*(?:,\d*)?\}|.", re.DOTALL)
_BOUND = re.compile(r"\{(\d*)(?:,(\d*))?\}")

WIDEST_GAP = 40
WIDEST_GROUP_REPEAT = 5
_DEEPEST_TERMS = 4


def expand(pattern: str, terms: Mapping[str, str]) -> str:
    """The pattern with each `{{term}}` as a group of that term; ValueError for an unknown or circular term."""
    for _ in range(_DEEPEST_TERMS):
        names = _TERM.findall(pattern)
        if not names:
            return pattern
        unknown = sorted(set(names) - set(terms))
        if unknown:
            raise ValueError(f"unknown term {unknown[0]!r}; known: {', '.join(sorted(terms)) or 'none'}")
        pattern = _TERM.sub(lambda match: f"(?:{terms[match[1]]})", pattern)
    raise ValueError(f"terms refer to each other more than {_DEEPEST_TERMS} deep")


def compile_bounded(pattern: str) -> re.Pattern[str]:
    """The compiled pattern, cases ignored; ValueError where it's no regular expression or could run away.

    Every repetition has an upper bound (no `*`, `+`, `{2,}`), of WIDEST_GAP for a character and of
    WIDEST_GROUP_REPEAT for a group, and it doesn't match the empty text.
    """
    fault = _unbounded(pattern)
    if fault:
        raise ValueError(fault)
    try:
        compiled = re.compile(pattern, re.IGNORECASE)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"not a regular expression: {error}") from error
    if compiled.match(""):
        raise ValueError("matches the empty text")
    return compiled


def _unbounded(pattern: str) -> str | None:
    before = ""
    for match in _TOKEN.finditer(pattern):
        token = match[0]
        if token in "*+":
            return f"unbounded repetition {token!r} at {match.start()}; write a bound such as {{0,20}}"
        bound = _BOUND.fullmatch(token) if token.startswith("{") else None
        if bound:
            highest = bound[1] if bound[2] is None else bound[2]
            most = WIDEST_GROUP_REPEAT if before == ")" else WIDEST_GAP
            if not highest or int(highest) > most:
                return f"repetition {token} at {match.start()} must have a bound of at most {most}"
        before = token
    return None
