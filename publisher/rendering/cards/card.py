"""What a social card says: plain records, made by whoever knows the page it stands for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from publisher.rendering.bars import Bar

Mark = Literal["withdrawn", "not_published", "synthetic", "not_signed"]
"""What a reader must know before the figure; the gravest first, and shown in this order."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CardFigure:
    """The one number of a card ("64.2 %", "+3.1"), what it is, and its interval; no bar where it is unknown.

    A label of more than one line's room takes two.
    """

    value: str
    label: str
    bar: Bar | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Card:
    """The English texts of one card.

    `fallback_title` is a plain name (a key, an id), shown where the title has characters that cards have no glyphs for.
    Texts may hold anything; what doesn't fit is cut with an ellipsis, what has no glyph becomes a box.
    """

    kicker: str
    title: str
    fallback_title: str
    figure: CardFigure | None = None
    facts: tuple[str, ...] = ()
    marks: frozenset[Mark] = frozenset()
