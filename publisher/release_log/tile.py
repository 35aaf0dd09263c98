"""Tiles and entry bundles as C2SP tlog-tiles lays them out: names and bytes.

https://c2sp.org/tlog-tiles
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from itertools import islice

from publisher.release_log.errors import MalformedError
from publisher.release_log.merkle import HASH_SIZE, Tree

TILE_WIDTH = 256
_TILE_LEVELS = 8
"""Levels of the tree between two levels of tiles: 2^8 = TILE_WIDTH."""
MAX_ENTRY = 2**16 - 1
"""Bytes of the longest entry: its length is written in two."""


def hash_tile_path(level: int, index: int, width: int) -> str:
    """`tile/<L>/<N>`, with `.p/<W>` behind it where the tile isn't full."""
    return f"tile/{level}/{_number_path(index)}{_width_path(width)}"


def bundle_path(index: int, width: int) -> str:
    """`tile/entries/<N>`, with `.p/<W>` behind it where the bundle isn't full."""
    return f"tile/entries/{_number_path(index)}{_width_path(width)}"


def _number_path(index: int) -> str:
    digits = str(index)
    digits = digits.zfill(-(-len(digits) // 3) * 3)
    groups = [digits[i : i + 3] for i in range(0, len(digits), 3)]
    return "/".join([f"x{group}" for group in groups[:-1]] + groups[-1:])


def _width_path(width: int) -> str:
    return "" if width == TILE_WIDTH else f".p/{width}"


def hash_tile(tree: Tree, level: int, index: int, width: int) -> bytes:
    """The hashes of a tile, one behind another."""
    start = index * TILE_WIDTH * HASH_SIZE
    return tree.levels[level * _TILE_LEVELS][start : start + width * HASH_SIZE]


def tile_count(size: int, level: int) -> tuple[int, int]:
    """How many full tiles a level has in a tree of a size, and how wide the one behind them is (0: there is none)."""
    return divmod(size >> level * _TILE_LEVELS, TILE_WIDTH)


def tiles_of(size: int) -> Iterator[tuple[int, int, int]]:
    """Level, index and width of every tile of a tree of a size."""
    level = 0
    while size >> level * _TILE_LEVELS:
        full, width = tile_count(size, level)
        yield from ((level, index, TILE_WIDTH) for index in range(full))
        if width:
            yield level, full, width
        level += 1


def bundle(entries: Sequence[bytes]) -> bytes:
    """Entries with their lengths before them, two bytes each, big-endian; MalformedError where one is too long."""
    for entry in entries:
        if len(entry) > MAX_ENTRY:
            raise MalformedError(f"an entry of {len(entry)} bytes, more than {MAX_ENTRY}")
    return b"".join(struct.pack(">H", len(entry)) + entry for entry in entries)


def read_bundle(data: bytes, width: int) -> list[bytes]:
    """The entries of a bundle, which must be `width` of them and nothing else; MalformedError."""
    entries = list(islice(_split(data), width + 1))
    if len(entries) != width:
        raise MalformedError(f"{'more' if len(entries) > width else len(entries)} entries instead of {width}")
    return entries


def bundle_start(data: bytes, width: int) -> bytes:
    """The bytes of the first entries of a bundle that holds at least so many."""
    return data[: sum(2 + len(entry) for entry in islice(_split(data), width))]


def _split(data: bytes) -> Iterator[bytes]:
    place = 0
    while place < len(data):
        end = place + 2 + int.from_bytes(data[place : place + 2], "big")
        if place + 2 > len(data) or end > len(data):
            raise MalformedError("ends in the middle of an entry")
        yield data[place + 2 : end]
        place = end
