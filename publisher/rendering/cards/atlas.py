"""The glyph atlas `site_templates/card_glyphs.bin`: pictures of characters, drawn once by `scripts/card_glyphs.py`."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

FaceName = Literal["title-large", "title-medium", "title-small", "text", "strong", "figure", "brand"]
Pixels = NDArray[np.uint8]

FRACTION = 64
"""Widths are whole 64ths of a pixel, so that sums are exact."""
NOTICE_LINES = 2


@dataclass(frozen=True, kw_only=True, slots=True)
class Glyph:
    """A character's levels (0 none to `Atlas.depth` full), where they stand from the pen, and the pen's advance."""

    levels: Pixels
    left: int
    top: int
    advance: int


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Face:
    """The glyphs of one font at one size in pixels, and its kerning in thousandths of the size."""

    size: int
    glyphs: Mapping[str, Glyph]
    kerning: Mapping[str, int]

    def glyph(self, character: str) -> Glyph:
        """The character's glyph; a neutral box where the face has none."""
        return self.glyphs.get(character) or _box(self.size)

    def shift(self, pair: str) -> int:
        """How much nearer (negative) or farther two characters stand, in 64ths of a pixel."""
        return self.kerning.get(pair, 0) * self.size * FRACTION // 1000

    def missing(self, text: str) -> int:
        """How many characters of the text have no glyph."""
        return sum(character not in self.glyphs for character in text)


@dataclass(frozen=True, kw_only=True, slots=True)
class BrandMark:
    """The icon of the site as palette indices, and its colours as red, green, blue."""

    picture: Pixels
    colours: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Atlas:
    """Everything a card copies pixels from."""

    depth: int
    faces: Mapping[FaceName, Face]
    mark: BrandMark


@cache
def atlas() -> Atlas:
    """The atlas of the package `site_templates`, read once."""
    stored = files("site_templates").joinpath("card_glyphs.bin").read_bytes()
    body = zlib.decompress(stored.split(b"\n", NOTICE_LINES)[NOTICE_LINES])
    end = 4 + int.from_bytes(body[:4], "big")
    described = json.loads(body[4:end])
    side = described["mark"]["size"]
    levels = _unpacked(body[end : len(body) - side * side])
    faces, used = {}, 0
    for name, face in described["faces"].items():
        faces[name], used = _face(face, described["kerning"][face["kerning"]], levels, used)
    return Atlas(depth=described["depth"], faces=faces, mark=_mark(described["mark"], body[-side * side :]))


def _unpacked(packed: bytes) -> Pixels:
    pairs = np.frombuffer(packed, np.uint8)
    return np.stack([pairs >> 4, pairs & 15], axis=1).reshape(-1)


def _face(described: Any, kerning: Mapping[str, int], levels: Pixels, used: int) -> tuple[Face, int]:
    glyphs = {}
    for character, advance, left, top, width, height in described["glyphs"]:
        picture = levels[used : used + width * height].reshape(height, width)
        glyphs[character] = Glyph(levels=picture, left=left, top=top, advance=advance)
        used += width * height
    return Face(size=described["size"], glyphs=glyphs, kerning=kerning), used


def _mark(described: Any, picture: bytes) -> BrandMark:
    side, flat = described["size"], described["colours"]
    colours = tuple(zip(flat[::3], flat[1::3], flat[2::3], strict=True))
    return BrandMark(picture=np.frombuffer(picture, np.uint8).reshape(side, side), colours=colours)


@cache
def _box(size: int) -> Glyph:
    """A hollow rectangle as tall as a capital letter: neither a letter nor a gap."""
    width, height, line = size * 11 // 20, size * 14 // 20, max(1, size // 20)
    levels = np.full((height, width), 4, np.uint8)
    levels[line:-line, line:-line] = 0
    gap = max(1, size // 12)
    return Glyph(levels=levels, left=gap, top=-height, advance=(width + 2 * gap) * FRACTION)
