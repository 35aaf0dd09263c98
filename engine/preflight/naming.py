"""Whether the model that answered is the one that was asked for, by name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches

_DATED = re.compile(
    r"-(?:20\d\d-[01]\d-[0-3]\d|20\d\d[01]\d[0-3]\d|20\d\d-[01]\d|[01]\d[0-3]\d|\d\d[01]\d|v\d{1,3}(?:\.\d{1,3}){0,2}|\d{3})"
)
"""What providers put behind an alias when they say which edition answered: a date (2026-01-31, 20260131, 2026-01, 0131,
2601) or a version (v2, v2.1, 002). One or two bare digits are none: `model-3` and `model-3-5` are two models."""


def is_same_model(asked: str, returned: str) -> bool:
    """Whether a returned name is the id that was asked for, or a dated or versioned edition of it."""
    return returned == asked or (returned.startswith(asked) and _DATED.fullmatch(returned[len(asked) :]) is not None)


def closest(asked: str, listed: Iterable[str]) -> list[str]:
    """The listed ids that look most like the one asked for, three at most."""
    return get_close_matches(asked, list(listed), n=3, cutoff=0.4)
