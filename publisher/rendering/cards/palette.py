"""The colours of the cards: the light theme of `styles/tokens.css`, and the steps between them that soften edges."""

from __future__ import annotations

from functools import cache
from typing import Literal

from publisher.rendering.cards.atlas import atlas

Colour = Literal["paper", "ink", "quiet", "accent", "line", "invalid", "invalid-soft"]
Ramp = Literal["ink", "quiet", "accent", "invalid", "inverse"]
Rgb = tuple[int, int, int]

TOKENS: dict[Colour, str] = {
    "paper": "#fbfbf9",
    "ink": "#1c2126",
    "quiet": "#565e66",
    "accent": "#0b5567",
    "line": "#dadedd",
    "invalid": "#6b4e00",
    "invalid-soft": "#f8efd6",
}
"""The tokens of the style sheet's light theme that cards use."""
RAMPS: dict[Ramp, tuple[Colour, Colour]] = {
    "ink": ("paper", "ink"),
    "quiet": ("paper", "quiet"),
    "accent": ("paper", "accent"),
    "invalid": ("invalid-soft", "invalid"),
    "inverse": ("ink", "paper"),
}
"""The colour of a text and of the ground it stands on."""
INTERVAL_PERCENT = 38
"""How much of the accent covers the track within the interval: `.bar .interval` of the styles."""


@cache
def start(ramp: Ramp) -> int:
    """The palette index of a ramp's ground; its levels follow."""
    return list(RAMPS).index(ramp) * (atlas().depth + 1)


@cache
def ground(ramp: Ramp) -> int:
    """The palette index to fill with where the ramp's text will stand; that of the paper is always 0."""
    return start(ramp) if RAMPS[ramp][0] != "paper" else 0


@cache
def solid(ramp: Ramp) -> int:
    """The palette index of a ramp's text colour, unmixed."""
    return start(ramp) + atlas().depth


@cache
def line() -> int:
    """The palette index of hairlines and of the track of a bar."""
    return len(RAMPS) * (atlas().depth + 1)


@cache
def interval() -> int:
    """The palette index of an interval on its track."""
    return line() + 1


@cache
def mark_start() -> int:
    """The palette index of the first colour of the brand mark."""
    return interval() + 1


@cache
def colours() -> tuple[Rgb, ...]:
    """The whole palette, at most 256 colours."""
    depth, track = atlas().depth, rgb("line")
    mixed = [
        _mixed(rgb(below), rgb(above), level, depth) for below, above in RAMPS.values() for level in range(depth + 1)
    ]
    return (*mixed, track, _mixed(track, rgb("accent"), INTERVAL_PERCENT, 100), *atlas().mark.colours)


def rgb(colour: Colour) -> Rgb:
    """Red, green and blue of a token."""
    digits = TOKENS[colour]
    return int(digits[1:3], 16), int(digits[3:5], 16), int(digits[5:7], 16)


def _mixed(below: Rgb, above: Rgb, part: int, whole: int) -> Rgb:
    red, green, blue = (
        (a * (whole - part) + b * part + whole // 2) // whole for a, b in zip(below, above, strict=True)
    )
    return red, green, blue
