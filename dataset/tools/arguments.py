"""The arguments of a tool call as a model writes them, read as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dataset.canonical import CanonicalError, canonical_text, read_strict


@dataclass(frozen=True, kw_only=True, slots=True)
class ParsedArguments:
    """The raw arguments after reading them as JSON: `fault` says why they aren't, else `value` and `canonical`."""

    value: Any = None
    canonical: str | None = None
    fault: str | None = None


def parse_arguments(raw: str) -> ParsedArguments:
    """The arguments as JSON. A blank string is an empty object, since servers send it for tools without parameters."""
    if not raw.strip():
        return ParsedArguments(value={}, canonical="{}")
    try:
        value = read_strict(raw.encode("utf-8"), allow_floats=True)
        return ParsedArguments(value=value, canonical=canonical_text(value, allow_floats=True))
    except UnicodeEncodeError:
        return ParsedArguments(fault="not valid Unicode")
    except CanonicalError as error:
        return ParsedArguments(fault=error.message)
