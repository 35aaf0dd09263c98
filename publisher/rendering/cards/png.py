"""A PNG file (W3C PNG, third edition) of palette indices, written without a library: the same bytes everywhere."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np

from publisher.rendering.cards.atlas import Pixels
from publisher.rendering.cards.deflate import zlib_stream

SIGNATURE = b"\x89PNG\r\n\x1a\n"
PALETTE_COLOUR = 3


def png(pixels: Pixels, colours: Sequence[tuple[int, int, int]]) -> bytes:
    """The picture as a file: eight bits a pixel, no interlacing, no filter, no time and no text."""
    height, width = pixels.shape
    header = width.to_bytes(4, "big") + height.to_bytes(4, "big") + bytes([8, PALETTE_COLOUR, 0, 0, 0])
    # Each row begins with the number of its filter, 0.
    rows = np.zeros((height, width + 1), np.uint8)
    rows[:, 1:] = pixels
    stream = zlib_stream(rows.reshape(-1), row=width + 1)
    palette = bytes(part for colour in colours for part in colour)
    parts = ((b"IHDR", header), (b"PLTE", palette), (b"IDAT", stream), (b"IEND", b""))
    return SIGNATURE + b"".join(_chunk(kind, body) for kind, body in parts)


def _chunk(kind: bytes, body: bytes) -> bytes:
    return len(body).to_bytes(4, "big") + kind + body + zlib.crc32(kind + body).to_bytes(4, "big")
