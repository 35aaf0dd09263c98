"""What a plot is drawn from: elements of SVG with classes and whole attributes, and never a style of their own.

Lengths are whole tenths of a unit of the view box. They are written with one decimal at most, so the same numbers
give the same bytes everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from publisher.rendering.language.message import Sayable

Tag = Literal["line", "rect", "path", "text"]
Anchor = Literal["start", "middle", "end"]
Shape = Literal["circle", "diamond", "square", "triangle", "cross"]
SHAPES: tuple[Shape, ...] = ("circle", "square", "triangle", "diamond", "cross")


@dataclass(frozen=True, kw_only=True, slots=True)
class Mark:
    """One element. `text` is what a text element says; `title` is what a pointer that rests on the mark is told."""

    tag: Tag
    attributes: tuple[tuple[str, str], ...]
    text: str | Sayable = ""
    title: str | Sayable = ""


def written(tenths: int) -> str:
    """A length in units: `120` is 12, `-5` is -0.5."""
    whole, rest = divmod(abs(tenths), 10)
    sign = "-" if tenths < 0 else ""
    return f"{sign}{whole}.{rest}" if rest else f"{sign}{whole}"


def rule(role: str, x1: int, y1: int, x2: int, y2: int) -> Mark:
    """A straight line."""
    places = (("x1", x1), ("y1", y1), ("x2", x2), ("y2", y2))
    return Mark(tag="line", attributes=(("class", role), *((name, written(at)) for name, at in places)))


def box(role: str, x: int, y: int, width: int, height: int, *, title: str = "") -> Mark:
    """A filled rectangle."""
    places = (("x", x), ("y", y), ("width", width), ("height", height))
    return Mark(tag="rect", attributes=(("class", role), *((name, written(at)) for name, at in places)), title=title)


def words(role: str, x: int, y: int, text: str | Sayable, *, anchor: Anchor = "start") -> Mark:
    """One line of text on the baseline `y`; `start` is where text stands without saying so."""
    told = () if anchor == "start" else (("text-anchor", anchor),)
    return Mark(tag="text", attributes=(("class", role), ("x", written(x)), ("y", written(y)), *told), text=text)


def trace(role: str, points: Sequence[tuple[int, int]]) -> Mark:
    """A line through points in their order."""
    steps = " ".join(f"{written(x)} {written(y)}" for x, y in points)
    return Mark(tag="path", attributes=(("class", role), ("d", f"M{steps}")))


_OUTLINES: dict[Shape, str] = {
    "circle": "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
    "square": "m-3.6-3.6h7.2v7.2h-7.2z",
    "triangle": "m0-5l4.6 8.4h-9.2z",
    "diamond": "m0-5.6l5.6 5.6l-5.6 5.6l-5.6-5.6z",
    "cross": "m-3.8-3.8l7.6 7.6m0-7.6l-7.6 7.6",
}


def sign(role: str, shape: Shape, x: int, y: int, *, title: str | Sayable = "") -> Mark:
    """A point of about eight units, told apart by its shape."""
    return Mark(
        tag="path",
        attributes=(("class", f"{role} {shape}"), ("d", f"M{written(x)} {written(y)}{_OUTLINES[shape]}")),
        title=title,
    )
