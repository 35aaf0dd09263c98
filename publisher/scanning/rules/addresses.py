"""Addresses of private networks, IPv4 and IPv6. Loopback tells nothing about anyone and is allowed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import AddressValueError, IPv6Address

from publisher.scanning.rules.interface import Hit

RULE = "SCAN-ADDR-001"
LABEL = "private address range"
_OCTET = rb"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"

# RFC 1918, RFC 6598 (100.64/10), RFC 3927 (169.254/16). Four parts exactly: versions and decimals have fewer,
# object identifiers more. Chinese text sets no space around an address.
# The look back stands after the first digits: a search that begins with a literal is many times faster.
_IPV4 = re.compile(
    rb"1(?<![A-Za-z0-9_]1)(?<!\d\.1)"
    rb"(?:0\." + _OCTET + rb"|72\.(?:1[6-9]|2\d|3[01])|92\.168|69\.254|00\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))"
    rb"\." + _OCTET + rb"\." + _OCTET + rb"(?![A-Za-z0-9_]|\.\d)"
)
# RFC 4193 (fc00::/7) and RFC 4291 (fe80::/10).
_IPV6 = re.compile(
    rb"[fF](?<![A-Za-z0-9_:.][fF])(?:[cCdD][0-9a-fA-F]{2}|[eE][89abAB][0-9a-fA-F]):[0-9a-fA-F:]{1,40}(?![A-Za-z0-9_])"
)


class PrivateAddresses:
    """Finds `10.0.0.0/8`, `172.16.0.0/12`, `192.168.0.0/16`, `100.64.0.0/10`, `169.254.0.0/16`, `fc00::/7`
    and `fe80::/10`, with or without port or prefix length."""

    marks = (_IPV4, _IPV6)

    def find(self, data: bytes) -> Iterator[Hit]:
        """Hits in order, IPv4 before IPv6."""
        for match in _IPV4.finditer(data):
            yield Hit(RULE, LABEL, match.start(), match.end())
        for match in _IPV6.finditer(data):
            if _is_address(match[0].decode()):
                yield Hit(RULE, LABEL, match.start(), match.end())


def _is_address(text: str) -> bool:
    """Whether `text`, less a colon that ends a clause, is an IPv6 address."""
    try:
        IPv6Address(text.removesuffix(":") if not text.endswith("::") else text)
    except AddressValueError:
        return False
    return True
