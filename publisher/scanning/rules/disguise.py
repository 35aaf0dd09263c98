"""Whether a hit stands beside a character that a layer takes out: then what the layer reads is judged, not this."""

from __future__ import annotations

from publisher.scanning.layers.characters import LETTER_MARK

# What a rule looks at before a value: its name, and what stands before that.
REACH = 64


def in_disguise(data: bytes, start: int, end: int) -> bool:
    """Whether such a character stands in the hit, just after it or within reach before it."""
    around = data[max(0, start - REACH) : end + 4]
    return not around.isascii() and LETTER_MARK.search(around) is not None
