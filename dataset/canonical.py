"""RFC 8785 canonical JSON bytes, strict reading, and sha256 digests.

Numbers in records are integers with |n| < 2^53 or decimal strings, so orjson's sorted output equals RFC 8785
on everything but keys beyond the basic plane (RFC 8785 sorts by UTF-16 code units, orjson by code points);
those, and floats where a caller allows them, take the slower path through the rfc8785 package.

Nearly every value is plain: JSON's own types and no floats. orjson itself refuses the rest of what has no canonical
form (integers of 2^53 or more, lone surrogates, keys that are no strings), so a plain value needs no look at each of
its parts. Whatever isn't plain, or is refused, is walked part by part, which names the place or finds nothing wrong.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NoReturn

import orjson
import rfc8785

from dataset.errors import GlassbenchError

Json = Any
"""A JSON value: dict with string keys, list, str, int, bool or None (float only where said)."""

MAX_INTEGER = 2**53 - 1
MAX_DEPTH = 64
_BEYOND_BASIC_PLANE = re.compile("[\U00010000-\U0010ffff]")
_BEYOND_BASIC_PLANE_UTF8 = re.compile(rb"[\xf0-\xf4]")
_PLAIN_TYPES = frozenset((dict, list, tuple, str, int, bool, type(None)))
_SORTED_AND_STRICT = orjson.OPT_SORT_KEYS | orjson.OPT_STRICT_INTEGER


class CanonicalError(GlassbenchError):
    """A value or text that has no canonical form; the message names the place as a JSON pointer."""

    code = "DATA-CANON-001"


def canonical_bytes(value: Json, *, allow_floats: bool = False) -> bytes:
    """The RFC 8785 bytes of a JSON value.

    Refuses (CanonicalError) integers of 2^53 or more, floats unless allowed, lone surrogates, keys that are not
    strings, foreign types, and nesting deeper than MAX_DEPTH.
    """
    data = _plain_bytes(value)
    return _examined_bytes(value, allow_floats=allow_floats) if data is None else data


def canonical_plain(value: Json) -> bytes:
    """`canonical_bytes` of a value of which it is known that it is made of JSON's own types, holds no float and nests
    no deeper than a record does: read from canonical bytes, or written out of a record."""
    try:
        data = orjson.dumps(value, option=_SORTED_AND_STRICT)
    except orjson.JSONEncodeError:
        return canonical_bytes(value)
    if data.isascii() or not _BEYOND_BASIC_PLANE_UTF8.search(data):
        return data
    return canonical_bytes(value)


def _plain_bytes(value: Json) -> bytes | None:
    """The canonical bytes of a plain value; None where the value has to be walked."""
    if not _is_plain(value):
        return None
    try:
        data = orjson.dumps(value, option=_SORTED_AND_STRICT)
    except orjson.JSONEncodeError:
        return None
    return data if _sorts_alike(value, data) else None


def _sorts_alike(value: Json, data: bytes) -> bool:
    """Whether the keys of a plain value with these bytes stand in the order of their UTF-16 code units, too."""
    if data.isascii() or not _BEYOND_BASIC_PLANE_UTF8.search(data):
        return True
    keys = (key for level in _levels(value) for part in level if type(part) is dict for key in part)
    return not any(map(_BEYOND_BASIC_PLANE.search, keys))


def _is_plain(value: Json) -> bool:
    """Whether a value is made of JSON's own types without floats, and nests no deeper than a record may."""
    return all(
        depth <= MAX_DEPTH and _PLAIN_TYPES.issuperset(map(type, level)) for depth, level in enumerate(_levels(value))
    )


def _levels(root: Json) -> Iterator[list[Json]]:
    """The values of each depth below a value of exact JSON types, itself first."""
    level = [root]
    while level:
        yield level
        below: list[Json] = []
        for part in level:
            kind = type(part)
            if kind is dict:
                below += part.values()
            elif kind is list or kind is tuple:
                below += part
        level = below


def _examined_bytes(value: Json, *, allow_floats: bool) -> bytes:
    """The canonical bytes after a look at every part; CanonicalError names the first that has none."""
    simple = True
    for pointer, part, is_key in _walk(value):
        if isinstance(part, str):
            _refuse_surrogates(part, pointer)
            simple = simple and not (is_key and _BEYOND_BASIC_PLANE.search(part))
        elif isinstance(part, bool) or part is None:
            continue
        elif isinstance(part, int):
            if abs(part) > MAX_INTEGER:
                raise CanonicalError(f"integer beyond 2^53 at {pointer or '/'}: write it as a decimal string")
        elif isinstance(part, float):
            if not allow_floats:
                raise CanonicalError(f"floating-point number at {pointer or '/'}: write it as a decimal string")
            simple = False
        else:
            raise CanonicalError(f"{type(part).__name__} has no JSON form, at {pointer or '/'}")
    if simple:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    try:
        return rfc8785.dumps(value)
    except rfc8785.CanonicalizationError as error:
        raise CanonicalError(str(error)) from error


def canonical_object(members: Mapping[str, bytes]) -> bytes:
    """The canonical bytes of an object from its members' own. Names are plain ASCII without quotes or backslashes."""
    return b"{%b}" % b",".join(b'"%b":%b' % (name.encode("ascii"), members[name]) for name in sorted(members))


def canonical_array(items: Iterable[bytes]) -> bytes:
    """The canonical bytes of an array from its items' own."""
    return b"[%b]" % b",".join(items)


def canonical_text(value: Json, *, allow_floats: bool = False) -> str:
    """`canonical_bytes` as text, for a parsed form that is stored as a string."""
    return canonical_bytes(value, allow_floats=allow_floats).decode()


def sha256_hex(data: bytes) -> str:
    """Lower-case hexadecimal sha256 of bytes."""
    return hashlib.sha256(data).hexdigest()


def content_hash(value: Json, *, allow_floats: bool = False) -> str:
    """sha256 of the canonical bytes of a value."""
    return sha256_hex(canonical_bytes(value, allow_floats=allow_floats))


def read_canonical(data: bytes) -> Json:
    """The value of bytes that must already be canonical, byte for byte.

    Refuses duplicate keys, NaN, Infinity, lone surrogates, floats, big integers, deep nesting and any other
    spelling of the same value.
    """
    value = _read_plain(data)
    if value is not None:
        return value
    value = _read_loose(data, allow_floats=False)
    if canonical_bytes(value) != data:
        raise CanonicalError("the bytes are valid JSON but not in RFC 8785 canonical form")
    return value


def read_canonical_members(data: bytes) -> tuple[dict[str, Json], Mapping[str, bytes]] | None:
    """The object in canonical bytes, with the canonical bytes of each of its members: what `read_canonical` and
    `canonical_bytes` of each give, written out once. None for what isn't plain, where those tell what is wrong, if
    anything is."""
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError:
        return None
    if type(value) is not dict or not all(map(str.isascii, value)) or not _is_plain(value):
        return None
    if not _sorts_alike(value, data):
        return None
    try:
        members = {name: orjson.dumps(part, option=_SORTED_AND_STRICT) for name, part in value.items()}
    except orjson.JSONEncodeError:
        return None
    return (value, members) if canonical_object(members) == data else None


def _read_plain(data: bytes) -> Json:
    """The value of canonical bytes of a plain value; None for all other bytes (and for null).

    orjson reads some loose spellings, but none of them is what it writes: bytes that come out again as they went in
    have no duplicate key, no other spelling of a number or a string, and nothing before, between or behind.
    """
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError:
        return None
    return value if _plain_bytes(value) == data else None


def read_strict(data: bytes, *, allow_floats: bool = False) -> Json:
    """The value of JSON bytes, refusing what JSON leaves loose; the place is named in the error."""
    value = _read_plain(data)
    return _read_loose(data, allow_floats=allow_floats) if value is None else value


def _read_loose(data: bytes, *, allow_floats: bool) -> Json:
    """The value of bytes in any spelling."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise CanonicalError(f"not valid UTF-8 at byte {error.start}") from error
    if text.startswith("\ufeff"):
        raise CanonicalError("not valid JSON: Unexpected UTF-8 BOM (decode using utf-8-sig) at line 1 column 1")
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise CanonicalError(f"not valid JSON: {error.msg} at line {error.lineno} column {error.colno}") from error
    except RecursionError as error:
        raise CanonicalError(f"JSON nested deeper than {MAX_DEPTH}") from error
    except ValueError as error:  # an integer of more digits than Python converts
        raise CanonicalError(f"not valid JSON: {error}") from error
    canonical_bytes(value, allow_floats=allow_floats)
    return value


def _walk(root: Json) -> Iterator[tuple[str, Json, bool]]:
    """Every scalar and key below a value with its JSON pointer, depth first, without recursion."""
    stack: list[tuple[str, Json, int]] = [("", root, 0)]
    while stack:
        pointer, value, depth = stack.pop()
        if depth > MAX_DEPTH:
            raise CanonicalError(f"nested deeper than {MAX_DEPTH} at {pointer[:80]}…")
        if isinstance(value, dict):
            for key, inner in value.items():
                if not isinstance(key, str):
                    raise CanonicalError(f"key {key!r} is not a string, at {pointer or '/'}")
                below = f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}"
                yield below, key, True
                stack.append((below, inner, depth + 1))
        elif isinstance(value, list | tuple):
            stack.extend((f"{pointer}/{i}", inner, depth + 1) for i, inner in enumerate(value))
        else:
            yield pointer, value, False


def _refuse_surrogates(text: str, pointer: str) -> None:
    if text.isascii():
        return
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        place = pointer.encode("utf-8", "backslashreplace").decode() or "/"
        raise CanonicalError(f"lone surrogate at {place}, character {error.start}") from error


def _refuse_duplicates(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise CanonicalError(f"duplicate key {twice!r}")
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise CanonicalError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_refuse_duplicates, parse_constant=_refuse_constant)
