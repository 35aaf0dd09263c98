"""HTML character references: `&amp;`, `&#103;`, `&#x67;`."""

from __future__ import annotations

import html
import re

from publisher.scanning.layers.substitution import Substitution

MARK = re.compile(rb"&(?:#[0-9]{1,8};?|#[xX][0-9a-fA-F]{1,6};?|[A-Za-z][A-Za-z0-9]{1,31};)")


def _character(match: re.Match[bytes]) -> bytes:
    return html.unescape(match[0].decode()).encode("utf-8", "surrogatepass")


ENTITIES = Substitution(MARK, _character)
