"""JSON that people read too: indented, members in the order they were written in."""

from __future__ import annotations

import orjson

from dataset.canonical import Json


def json_document(value: Json) -> bytes:
    """The bytes of a value, ending with a line break."""
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
