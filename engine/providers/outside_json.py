"""Reads JSON that a server sent: strict where it could be read in two ways, tolerant of lone surrogates.

A model may write half a character; the reply must survive that, so `dataset.canonical.read_strict`, which refuses
it, is too strict here.
"""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from dataset.canonical import CanonicalError, canonical_text

_TOKEN = re.compile(r"[\x21-\x7e]{1,256}")


class UnreadableJsonError(ValueError):
    """Bytes that are no JSON, or JSON with two readings; the message holds nothing of them."""


def read_outside_json(data: bytes) -> Any:
    """The value of JSON bytes.

    UnreadableJsonError for what isn't UTF-8, isn't complete, nests too deep, repeats a key or holds NaN or Infinity.
    """
    try:
        return _DECODER.decode(data.decode("utf-8"))
    except UnreadableJsonError as error:
        fault = str(error)
    except RecursionError:
        fault = "JSON nested too deep"
    except UnicodeDecodeError:
        fault = "not valid UTF-8"
    except json.JSONDecodeError as error:
        fault = f"no valid JSON at character {error.pos}"
    except ValueError:  # an integer of more digits than Python converts
        fault = "JSON with a number of too many digits"
    # Raised here, outside the handlers: the errors above keep the whole body in reach.
    raise UnreadableJsonError(fault)


def json_text(value: Any) -> str:
    """The canonical JSON text of a value; sorted plain JSON where it has no canonical form."""
    try:
        return canonical_text(value, allow_floats=True)
    except CanonicalError:
        return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def checked_token(value: Any) -> str | None:
    """An id or name from outside where it is 1 to 256 visible ASCII characters, else None."""
    return value if isinstance(value, str) and _TOKEN.fullmatch(value) else None


def _refuse_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise UnreadableJsonError("JSON with a repeated key")
    return found


def _refuse_constant(_: str) -> NoReturn:
    raise UnreadableJsonError("JSON with NaN or Infinity")


# Made once: `json.loads` would make one for each event of a stream.
_DECODER = json.JSONDecoder(object_pairs_hook=_refuse_duplicates, parse_constant=_refuse_constant)
