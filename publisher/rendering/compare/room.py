"""How much text one page of two runs shows: what is beyond stands on the pages of the runs, and the page says so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dataset.artifacts.outside_text import OutsideText, shown
from publisher.rendering.compare.text_difference import Segment, text_difference
from publisher.rendering.visible_text import marked_up

PAGE_BYTES = 150_000
TEXT_CHARACTERS = 6_000
FOLDED_FROM = 1_500


@dataclass(frozen=True, kw_only=True, slots=True)
class Passage:
    """A text, or as much of it as is shown, in segments; `characters` is how many it has."""

    segments: tuple[Segment, ...]
    characters: int
    shown: int

    @property
    def cut(self) -> bool:
        """Whether some of it isn't shown."""
        return self.shown < self.characters

    @property
    def folded(self) -> bool:
        """Whether it is so long that it is folded."""
        return self.shown > FOLDED_FROM


@dataclass(frozen=True, kw_only=True, slots=True)
class TextPair:
    """The same text of two runs. Where both are equal, `left` alone is filled."""

    left: Passage
    right: Passage
    equal: bool
    related: bool


class Room:
    """What is left of a page, in bytes of HTML."""

    def __init__(self, size: int = PAGE_BYTES) -> None:
        self._left = size

    def pair(self, left: OutsideText | None, right: OutsideText | None) -> TextPair:
        """Two texts with their differences, as far as there is room; none counts as empty."""
        one, other = ("" if kept is None else shown(kept) for kept in (left, right))
        found = text_difference(one, other)
        equal = left == right
        return TextPair(
            left=self._passage(found.of("left"), len(one)),
            right=_NOTHING if equal else self._passage(found.of("right"), len(other)),
            equal=equal,
            related=found.related,
        )

    def _passage(self, segments: Sequence[Segment], characters: int) -> Passage:
        kept: list[Segment] = []
        taken = 0
        for kind, text in segments:
            words = text[: max(0, min(TEXT_CHARACTERS - taken, self._left))]
            cost = len(marked_up(words).encode("utf-8", "replace"))
            if not words or cost > self._left:
                break
            self._left -= cost
            taken += len(words)
            kept.append((kind, words))
            if len(words) < len(text):
                break
        return Passage(segments=tuple(kept), characters=characters, shown=taken)


_NOTHING = Passage(segments=(), characters=0, shown=0)
