"""Where the arguments of two calls differ, by the path of each value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, zip_longest
from typing import Any

from dataset.canonical import CanonicalError, canonical_text, read_strict

MOST_SHOWN = 40
_ABSENT: Any = object()


@dataclass(frozen=True, kw_only=True, slots=True)
class ValueDifference:
    """One place (`$.codes[0]`) and the canonical JSON on either side; null where a side has nothing there."""

    path: str
    left: str | None
    right: str | None


def value_differences(left: str, right: str) -> tuple[ValueDifference, ...] | None:
    """The first places in which two canonical JSON texts differ, keys in their order; None where one isn't such a
    text."""
    try:
        one, other = (read_strict(text.encode("utf-8", "surrogatepass"), allow_floats=True) for text in (left, right))
    except (CanonicalError, ValueError, RecursionError):
        return None
    return tuple(islice(_differing("$", one, other), MOST_SHOWN))


def _differing(path: str, left: Any, right: Any) -> Iterator[ValueDifference]:
    if isinstance(left, dict) and isinstance(right, dict):
        for key in sorted({*left, *right}):
            yield from _differing(f"{path}{_step(key)}", left.get(key, _ABSENT), right.get(key, _ABSENT))
    elif isinstance(left, list) and isinstance(right, list):
        for at, (one, other) in enumerate(zip_longest(left, right, fillvalue=_ABSENT)):
            yield from _differing(f"{path}[{at}]", one, other)
    else:
        ours, theirs = _text(left), _text(right)
        if ours != theirs:
            yield ValueDifference(path=path, left=ours, right=theirs)


def _text(value: Any) -> str | None:
    return None if value is _ABSENT else canonical_text(value, allow_floats=True)


def _step(key: str) -> str:
    return f".{key}" if key.isascii() and key.isidentifier() else f"[{canonical_text(key)}]"
