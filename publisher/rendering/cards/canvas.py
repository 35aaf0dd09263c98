"""The picture a card is composed on: one palette index per pixel."""

from __future__ import annotations

import numpy as np

from publisher.rendering.cards import palette
from publisher.rendering.cards.atlas import FRACTION, Face, Pixels

WIDTH, HEIGHT = 1200, 630


class Canvas:
    """A sheet of paper, 1200 by 630; nothing drawn reaches beyond its edges."""

    def __init__(self) -> None:
        self.pixels: Pixels = np.zeros((HEIGHT, WIDTH), np.uint8)

    def fill(self, left: int, top: int, width: int, height: int, colour: int) -> None:
        """A rectangle of one palette index."""
        self.pixels[max(0, top) : max(0, top + height), max(0, left) : max(0, left + width)] = colour

    def picture(self, left: int, top: int, picture: Pixels, first_colour: int) -> None:
        """A picture of indices counted from the first colour."""
        height, width = picture.shape
        self.pixels[top : top + height, left : left + width] = picture + np.uint8(first_colour)

    def text(self, left: int, baseline: int, text: str, face: Face, ramp: palette.Ramp) -> None:
        """One line of text; where glyphs overlap, the darker level stays."""
        pen, before, first = left * FRACTION, "", palette.start(ramp)
        for character in text:
            pen += face.shift(before + character)
            glyph = face.glyph(character)
            self._glyph(glyph.levels, (pen + FRACTION // 2) // FRACTION + glyph.left, baseline + glyph.top, first)
            pen, before = pen + glyph.advance, character

    def _glyph(self, levels: Pixels, left: int, top: int, first: int) -> None:
        height, width = levels.shape
        place = self.pixels[max(0, top) : top + height, max(0, left) : left + width]
        shown = levels[max(0, -top) : max(0, -top) + place.shape[0], max(0, -left) : max(0, -left) + place.shape[1]]
        np.copyto(place, np.maximum(place, shown + np.uint8(first)), where=shown > 0)
