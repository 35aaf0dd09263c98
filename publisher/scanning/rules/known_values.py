"""The exact values of known credentials, plain and in the encodings they travel in."""

from __future__ import annotations

import html
import json
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from urllib.parse import quote, quote_plus

from publisher.scanning.errors import ScanError
from publisher.scanning.gate import Gate
from publisher.scanning.rules.interface import Hit

RULE = "SCAN-KNOWN-001"
SHORTEST_VALUE = 8
# A window of a large file overlaps the next by more than the longest encoded form of this.
LONGEST_VALUE = 8192
LONGEST_LITERAL = 256


class KnownValues:
    """Finds the values handed in, keyed by the name of the variable that holds each.

    Raises ScanError (`SCAN-VALUE-001`, naming the variable only) for a value of fewer than 8 characters,
    which would be found everywhere, or of more than 8,192.
    """

    marks: tuple[re.Pattern[bytes], ...] = ()  # they are looked for with a gate of their own: they differ each time

    def __init__(self, values: Mapping[str, str]) -> None:
        self._forms = [
            (f"value of {name}", encoded.encode("utf-8", "surrogatepass"))
            for name, value in values.items()
            for encoded in _checked_forms(name, value)
        ]
        self._gate = Gate([literal(form) for _, form in self._forms])

    def __repr__(self) -> str:
        return "KnownValues(…)"

    def may_hold(self, data: bytes) -> bool:
        """Whether any of them occurs."""
        return bool(self._gate.passed(data))

    def find(self, data: bytes) -> Iterator[Hit]:
        """Hits by value and encoding; none shows any character of the value."""
        for label, form in self._forms:
            for start, end in occurrences(form, data):
                yield Hit(RULE, label, start, end, shown=False)


def occurrences(wanted: bytes, data: bytes) -> Iterator[tuple[int, int]]:
    """Start and end of each occurrence, without overlap."""
    start = data.find(wanted)
    while start >= 0:
        yield start, start + len(wanted)
        start = data.find(wanted, start + len(wanted))


def literal(wanted: bytes) -> re.Pattern[bytes]:
    """A pattern that occurs wherever `wanted` does; the gate takes expressions of limited length without NUL."""
    return re.compile(b"".join(b"\\x%02x" % byte for byte in wanted[:LONGEST_LITERAL]))


def _checked_forms(name: str, value: str) -> list[str]:
    bare = value.strip()
    if not SHORTEST_VALUE <= len(bare) <= LONGEST_VALUE:
        raise ScanError(
            f"the value of {name} has {len(bare)} characters; {SHORTEST_VALUE} to {LONGEST_VALUE} can be looked for",
            hint=f"unset {name}, or give it the credential it is meant to hold",
            code="SCAN-VALUE-001",
        )
    if bare in name:
        raise ScanError(
            "the name of a credential variable holds its own value",
            hint="rename the variable and replace the credential",
            code="SCAN-VALUE-001",
        )
    return sorted(encoded_forms(bare), key=lambda form: (-len(form), form))


def encoded_forms(value: str) -> frozenset[str]:
    """Every text under which `value` is looked for: plain, JSON- and HTML-escaped, percent-encoded fully or
    as needed (hex digits of either case), hexadecimal, base64 of both alphabets at each byte alignment."""
    data = value.encode("utf-8", "surrogatepass")
    full = "".join(f"%{byte:02X}" for byte in data)
    percent = {full, quote(data, safe=""), quote(data), quote_plus(data)}
    return frozenset(
        {value, html.escape(value), data.hex(), data.hex().upper()}
        | {json.dumps(value, ensure_ascii=ascii_only)[1:-1] for ascii_only in (True, False)}
        | {json.dumps(value)[1:-1].replace("/", "\\/")}
        | percent
        | {_lower_escapes(form) for form in percent}
        | {form for shift in range(3) for form in _base64_core(data, shift)}
    )


def _lower_escapes(percent: str) -> str:
    """The same with `%2f` for `%2F`."""
    head, *rest = percent.split("%")
    return "%".join([head, *(piece[:2].lower() + piece[2:] for piece in rest)])


def _base64_core(data: bytes, shift: int) -> tuple[str, str]:
    """The characters that depend on `data` alone when it begins `shift` bytes (0, 1, 2) into a base64 group.

    RFC 4648: each character carries six bits, so the first ceil(8·shift/6) depend on what stands before,
    and those past floor(8·(shift+n)/6) on what follows.
    """
    whole = b64encode(bytes(shift) + data).decode("ascii")
    core = whole[-(-8 * shift // 6) : 8 * (shift + len(data)) // 6]
    return core, core.replace("+", "-").replace("/", "_")
