"""JSON read for scanning: nothing in the text is lost, nothing is judged."""

from __future__ import annotations

import json
from typing import Any


class Members(list[tuple[str, Any]]):
    """An object as its pairs: a repeated key must not hide the value before it."""


def parse(text: str) -> Any | None:
    """The value of `text` with objects as `Members` and numbers as None; None where it is no JSON."""
    if text.lstrip("\ufeff \t\r\n")[:1] not in ("{", "[", '"'):
        return None
    try:
        return json.loads(
            text.removeprefix("\ufeff"), object_pairs_hook=Members, parse_int=_no_number, parse_float=_no_number
        )
    except (ValueError, RecursionError):
        return None


def _no_number(_: str) -> None:
    """Numbers are seen in the document as written; turning a huge one into an int would fail."""
