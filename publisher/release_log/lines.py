"""What the lines of notes, checkpoints and proofs are made of: base64, hashes, decimals. One form for each value."""

from __future__ import annotations

import base64
import binascii
import re

from publisher.release_log.errors import MalformedError
from publisher.release_log.merkle import HASH_SIZE

MAX_NUMBER = 2**63 - 1
"""Tree sizes and indexes stay below 2^63, as in every implementation that counts in signed 64-bit integers."""
_DECIMAL = re.compile(r"0|[1-9][0-9]{0,18}", re.ASCII)


def base64_text(data: bytes) -> str:
    """The standard base64 of bytes (RFC 4648 section 4), padded."""
    return base64.b64encode(data).decode("ascii")


def read_base64(text: str) -> bytes:
    """The bytes of standard base64; MalformedError for any other spelling of them than `base64_text` gives."""
    try:
        data = base64.b64decode(text.encode("ascii"), validate=True)
    except (binascii.Error, UnicodeEncodeError):
        raise MalformedError("not base64") from None
    if base64_text(data) != text:
        raise MalformedError("base64 in another form than its bytes have")
    return data


def read_hash(text: str) -> bytes:
    """The 32 bytes of a hash line; MalformedError."""
    data = read_base64(text)
    if len(data) != HASH_SIZE:
        raise MalformedError(f"a hash of {len(data)} bytes instead of {HASH_SIZE}")
    return data


def read_decimal(text: str) -> int:
    """A number from 0 to MAX_NUMBER in ASCII digits without leading zeros; MalformedError."""
    if not _DECIMAL.fullmatch(text) or int(text) > MAX_NUMBER:
        raise MalformedError("not a decimal number below 2^63 without leading zeros")
    return int(text)
