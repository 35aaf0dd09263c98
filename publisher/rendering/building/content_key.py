"""The key of what a job's files follow from: one hash over values of any kind that views are made of."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import orjson
from pydantic import BaseModel

from dataset.canonical import sha256_hex
from publisher.rendering.language.language import LANGUAGES
from publisher.rendering.language.message import Sayable


def content_key(*shown: Any) -> str:
    """sha256 in hexadecimal: the same for equal values in every process. TypeError for what has no text of its own."""
    return sha256_hex(orjson.dumps(shown, default=_told))


def _told(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return orjson.Fragment(value.model_dump_json())
    if isinstance(value, Sayable):
        return [value.said(language) for language in LANGUAGES]
    if isinstance(value, bytes):
        return ["bytes", value.hex()]
    if isinstance(value, Decimal):
        return ["decimal", str(value)]
    if isinstance(value, (set, frozenset)):
        # A set is written in an order of its own in each process.
        return ["set", *sorted(value)]
    raise TypeError(f"no key follows from a {type(value).__name__}")
