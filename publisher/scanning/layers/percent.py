"""Percent-encoding (RFC 3986)."""

from __future__ import annotations

import re

from publisher.scanning.layers.substitution import Substitution

MARK = re.compile(rb"%[0-9A-Fa-f]{2}")


def _byte(match: re.Match[bytes]) -> bytes:
    return bytes.fromhex(match[0][1:].decode())


OCTETS = Substitution(MARK, _byte)
