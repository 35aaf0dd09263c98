"""Credentials that have a form of their own."""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error as BinasciiError
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from publisher.scanning.rules.credentials import PREFIX
from publisher.scanning.rules.disguise import in_disguise
from publisher.scanning.rules.interface import Hit
from publisher.scanning.rules.randomness import entropy, is_placeholder, looks_random

START = rb"(?<![A-Za-z0-9_+/-])"
END = rb"(?![A-Za-z0-9_+/-])"


@dataclass(frozen=True, kw_only=True, slots=True)
class Shape:
    """One shape: the secret is the last group of `pattern`, or the match, and `holds` judges it. Where the engine
    has one name for the same thing, it is named so, and both finding it counts once. The comment beside each names its
    source."""

    name: str
    label: str
    pattern: re.Pattern[bytes]
    holds: Callable[[str], bool]


class ShapeRule:
    """Finds what a shape describes: `SCAN-CRED:<name of the shape>`."""

    def __init__(self, shape: Shape) -> None:
        self._shape = shape
        self.marks = (shape.pattern,)

    def find(self, data: bytes) -> Iterator[Hit]:
        """Hits in order."""
        for match in self._shape.pattern.finditer(data):
            span = match.span(match.lastindex or 0)
            if self._shape.holds(data[slice(*span)].decode("latin-1")) and not in_disguise(data, *span):
                yield Hit(PREFIX + self._shape.name, f"credential: {self._shape.label}", *span)


def is_anything(_: str) -> bool:
    """The form says it all."""
    return True


def is_no_placeholder(value: str) -> bool:
    """It doesn't only say where a secret would go."""
    return not is_placeholder(value)


def is_mixed(value: str) -> bool:
    """At least three bits a character, and no placeholder."""
    return entropy(value) >= 3 and not is_placeholder(value)


def is_random(value: str) -> bool:
    """Letters and digits, at least three bits a character, and no placeholder."""
    return looks_random(value)


def is_very_random(value: str) -> bool:
    """The same with three and a half bits."""
    return looks_random(value, bits=3.5)


def is_basic_pair(value: str) -> bool:
    """Whether a Basic credential decodes to `user:password` (RFC 7617)."""
    try:
        user, colon, password = b64decode(value + "=" * (-len(value) % 4), validate=True).decode().partition(":")
    except (BinasciiError, ValueError):
        return False
    return bool(colon) and user[:1] != "{" and len(password) >= 3 and not is_placeholder(f"{user}:{password}")


def is_query_credential(value: str) -> bool:
    """Random letters of both cases and digits, or digits of a hash: what a page links to is written in words."""
    return looks_random(value, bits=3.2) and not re.fullmatch(r"[A-Za-z]+\d{0,4}(?:[-_.%+/][A-Za-z0-9]{1,12})*", value)


def is_userinfo_password(value: str) -> bool:
    """What stands for a password in a URL, and isn't the word."""
    return not is_placeholder(value) and value.lower() not in {"pass", "password", "passwd", "secret", "pwd", "token"}
