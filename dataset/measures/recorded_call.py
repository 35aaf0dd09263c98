"""A tool call as its step records it."""

from __future__ import annotations

from typing import Any

from dataset.artifacts.artifact import ToolStep
from dataset.canonical import CanonicalError, read_strict


def call_arguments(step: ToolStep) -> Any:
    """The arguments of a call as they were read; None where they weren't JSON."""
    try:
        return read_strict((step.arguments_parsed or "null").encode("utf-8", "surrogatepass"), allow_floats=True)
    except CanonicalError:
        return None
