"""A recorded text as the page of a run shows it, made once for all languages: folded behind its beginning if long."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from dataset.artifacts.outside_text import OutsideText, shown
from publisher.rendering.visible_text import marked_up

_GLIMPSE = 110
_LONG = 600
_LINES = 12


@dataclass(frozen=True, kw_only=True, slots=True)
class Passage:
    """A text with what can't be seen in it named. `glimpse` is its beginning on one line, empty for a short one;
    `valid` says that it is Unicode, so that nothing of it had to be replaced."""

    markup: Markup
    glimpse: Markup
    length: int
    valid: bool = True


def passage(value: OutsideText) -> Passage:
    """The passage of a recorded text."""
    text = shown(value)
    return worked_passage(text, marked_up(text), valid=isinstance(value, str))


def worked_passage(text: str, markup: Markup, *, valid: bool = True) -> Passage:
    """The passage of a text that has more marked up in it than what can't be seen."""
    return Passage(markup=markup, glimpse=glimpse(text) if is_long(text) else Markup(), length=len(text), valid=valid)


def is_long(text: str) -> bool:
    """Whether a text is folded."""
    return len(text) > _LONG or text.count("\n") > _LINES


def glimpse(text: str, most: int = _GLIMPSE) -> Markup:
    """How a text begins, on one line of at most so many characters."""
    line = " ".join(text[: 2 * most].split())
    cut = len(line) > most or len(text) > 2 * most
    return marked_up(f"{line[:most].rstrip()}…" if cut else line)
