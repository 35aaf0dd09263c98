"""Draw the glyph atlas of the social cards, `site_templates/card_glyphs.bin`: a maintainer's script, no build's.

Cards are rendered again by whoever verifies a site, and must come out the same byte for byte. Rasterisers change with
their version; so glyphs are drawn once, here, and committed as grey levels, and a build only copies them.

Needs an environment of its own with `pillow fonttools brotli uharfbuzz cairosvg`, and three font files:

    SERIF   Source Serif 4 SemiBold (npm package @fontsource/source-serif-4: source-serif-4-latin-600-normal.woff2)
    SANS    Inter Regular           (Debian package fonts-inter: Inter-Regular.otf)
    STRONG  Inter SemiBold          (Debian package fonts-inter: Inter-SemiBold.otf)

    python scripts/card_glyphs.py SERIF SANS STRONG

Both families are under the SIL Open Font License 1.1, and so is the atlas; its text stands beside the atlas, and a
notice in its first lines.

The file: two lines of notice, then one zlib stream with a length (four bytes, big-endian), a JSON description of
that length, the levels of all glyphs (two to a byte, high half first, in the order described), and the picture of
the brand mark (one palette index a byte).
"""

from __future__ import annotations

import argparse
import io
import json
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cairosvg
import uharfbuzz
from fontTools.ttLib import TTFont
from PIL import Image, ImageDraw, ImageFont

TEMPLATES = Path(__file__).parent.parent / "site_templates"
NOTICE = (
    "Glassbench card glyphs, drawn from Source Serif 4 (Copyright 2014-2021 Adobe, Reserved Font Name 'Source')\n"
    "and Inter (Copyright 2016-2022 The Inter Project Authors); SIL Open Font License 1.1, card_glyphs.licence.txt\n"
)
ASCII = "".join(map(chr, range(0x20, 0x7F)))
# The soft hyphen and the no-break space show nothing of their own.
LATIN = "".join(chr(code) for code in range(0xA1, 0x100) if code != 0xAD)
PUNCTUATION = "–—…‘’“”•−≥≤≈✓✗⊘⊖→←™€\u202f"
FULL = ASCII + LATIN + PUNCTUATION
KERNED = ASCII[1:] + "–—’"
FRACTION = 64
"""Advances are kept in 64ths of a pixel."""
DEPTH = 7
"""Levels from 0 (paper) to this (ink): more make larger files, and can't be told apart at these sizes."""
PAPER = "#fbfbf9"
MARK_SIZE = 60


@dataclass(frozen=True, kw_only=True)
class FacePlan:
    """One face of the atlas: fonts in the order they are asked for a character, size in pixels, characters."""

    name: str
    fonts: tuple[str, ...]
    size: int
    characters: str


PLANS = (
    FacePlan(name="title-large", fonts=("serif", "strong"), size=68, characters=FULL),
    FacePlan(name="title-medium", fonts=("serif", "strong"), size=54, characters=FULL),
    FacePlan(name="title-small", fonts=("serif", "strong"), size=42, characters=FULL),
    FacePlan(name="text", fonts=("sans",), size=28, characters=FULL),
    FacePlan(name="strong", fonts=("strong",), size=28, characters=FULL),
    FacePlan(name="figure", fonts=("strong",), size=92, characters=ASCII + "·±×–−≥≤≈…€\u202f"),
    FacePlan(name="brand", fonts=("serif",), size=38, characters="Glassbench"),
)


class Font:
    """One font file, for drawing, for its advances and for its kerning."""

    def __init__(self, path: Path) -> None:
        outlines = TTFont(path)
        outlines.flavor = None
        plain = io.BytesIO()
        outlines.save(plain)
        self.data = plain.getvalue()
        self.characters = set(map(chr, outlines.getBestCmap()))
        self.face = uharfbuzz.Face(self.data)
        self.shaper = uharfbuzz.Font(self.face)

    def advance(self, text: str) -> int:
        """The width of the text in units of the em."""
        buffer = uharfbuzz.Buffer()
        buffer.add_str(text)
        buffer.guess_segment_properties()
        uharfbuzz.shape(self.shaper, buffer, {"kern": True, "liga": False, "calt": False, "clig": False})
        return sum(position.x_advance for position in buffer.glyph_positions)

    def at(self, size: int) -> ImageFont.FreeTypeFont:
        """The font at a size in pixels."""
        return ImageFont.truetype(io.BytesIO(self.data), size, layout_engine=ImageFont.Layout.BASIC)


def main() -> None:
    """Draw every face and the brand mark, and write the atlas."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("serif", "sans", "strong"):
        parser.add_argument(name, type=Path)
    fonts = {name: Font(path) for name, path in vars(parser.parse_args()).items()}
    levels: list[int] = []
    faces = {plan.name: _face(plan, [fonts[name] for name in plan.fonts], levels) for plan in PLANS}
    kerning = {name: _kerning(font) for name, font in fonts.items()}
    mark, picture = _brand_mark()
    described = {"depth": DEPTH, "faces": faces, "kerning": kerning, "mark": mark}
    description = json.dumps(described, separators=(",", ":"), ensure_ascii=False).encode()
    levels += [0] * (len(levels) % 2)
    packed = bytes(high << 4 | low for high, low in zip(levels[::2], levels[1::2], strict=True))
    body = zlib.compress(len(description).to_bytes(4, "big") + description + packed + picture, 9)
    (TEMPLATES / "card_glyphs.bin").write_bytes(NOTICE.encode() + body)
    print(f"{len(NOTICE) + len(body):,} bytes; description {len(description):,}, levels {len(packed):,}")


def _face(plan: FacePlan, fonts: list[Font], levels: list[int]) -> dict[str, Any]:
    glyphs = []
    for character in plan.characters:
        font = next((font for font in fonts if character in font.characters), None)
        advance, left, top, picture = _glyph(font, plan.size, character) if font else _sign(plan.size, character)
        left, top, picture = _trimmed(left, top, picture)
        glyphs.append([character, advance, left, top, picture.width, picture.height])
        levels += [_level(value) for value in picture.tobytes()]
    return {"size": plan.size, "kerning": plan.fonts[0], "glyphs": glyphs}


def _level(coverage: int) -> int:
    return (coverage * DEPTH + 127) // 255


def _glyph(font: Font, size: int, character: str) -> tuple[int, int, int, Image.Image]:
    """Advance in 64ths; left and top of the picture from the pen on the baseline, in pixels; the picture."""
    advance = round(font.advance(character) * size * FRACTION / font.face.upem)
    at = font.at(size)
    left, top, right, bottom = at.getbbox(character, anchor="ls")
    left, top, right, bottom = int(left) - 1, int(top) - 1, int(right) + 1, int(bottom) + 1
    picture = Image.new("L", (max(1, right - left), max(1, bottom - top)), 0)
    ImageDraw.Draw(picture).text((-left, -top), character, fill=255, font=at, anchor="ls")
    return advance, left, top, picture


def _sign(size: int, character: str) -> tuple[int, int, int, Image.Image]:
    """A struck ring as tall as a capital letter: the signs for denied and withdrawn are in neither family."""
    strike = {"⊘": (0.22, 0.78, 0.78, 0.22), "⊖": (0.27, 0.5, 0.73, 0.5)}[character]
    side, gap, scale = round(size * 0.8), round(size * 0.07), 8
    large = Image.new("L", (side * scale, side * scale), 0)
    draw, width = ImageDraw.Draw(large), max(1, round(size * 0.1 * scale))
    draw.ellipse((scale, scale, (side - 1) * scale, (side - 1) * scale), outline=255, width=width)
    draw.line([part * side * scale for part in strike], fill=255, width=width)
    return (side + 2 * gap) * FRACTION, gap, -round(size * 0.76), large.resize((side, side), Image.Resampling.BOX)


def _trimmed(left: int, top: int, picture: Image.Image) -> tuple[int, int, Image.Image]:
    box = picture.point(_level).getbbox()
    if box is None:
        return 0, 0, Image.new("L", (0, 0))
    return left + box[0], top + box[1], picture.crop(box)


def _kerning(font: Font) -> dict[str, int]:
    """Shifts between two characters in thousandths of the em, without those too small to be seen."""
    alone = {character: font.advance(character) for character in KERNED}
    shifts = {
        first + second: round((font.advance(first + second) - alone[first] - alone[second]) * 1000 / font.face.upem)
        for first in KERNED
        for second in KERNED
    }
    return {pair: shift for pair, shift in shifts.items() if abs(shift) >= 8}


def _brand_mark() -> tuple[dict[str, Any], bytes]:
    drawn = cairosvg.svg2png(bytestring=(TEMPLATES / "icon.svg").read_bytes(), output_width=MARK_SIZE * 4)
    large = Image.open(io.BytesIO(drawn)).convert("RGBA")
    ground = Image.new("RGBA", large.size, PAPER)
    flat = Image.alpha_composite(ground, large).convert("RGB").resize((MARK_SIZE, MARK_SIZE), Image.Resampling.BOX)
    indexed = flat.quantize(32, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    colours = (indexed.getpalette() or [])[: 3 * 32]
    # Where the page shows through it must be the page's own colour, not the nearest the quantiser chose.
    corner = indexed.getpixel((0, 0))
    colours[3 * corner : 3 * corner + 3] = [int(PAPER[at : at + 2], 16) for at in (1, 3, 5)]
    return {"size": MARK_SIZE, "colours": colours}, indexed.tobytes()


if __name__ == "__main__":
    main()
