"""Where everything stands on a card."""

from __future__ import annotations

from typing import assert_never, get_args

from publisher.rendering.bars import Bar
from publisher.rendering.cards import palette
from publisher.rendering.cards.atlas import FaceName, atlas
from publisher.rendering.cards.canvas import HEIGHT, WIDTH, Canvas
from publisher.rendering.cards.card import Card, CardFigure, Mark
from publisher.rendering.cards.lettering import cut, fitted, pixels, shown
from publisher.rendering.cards.png import png

MARGIN = 72
ROOM = WIDTH - 2 * MARGIN
BRAND = "Glassbench"
BRAND_TOP, BRAND_BASELINE, BRAND_LEFT = 46, 89, MARGIN + 76
KICKER_BASELINE = 166
TITLE_TOP = 184
VALUE_BASELINE, LABEL_LEADING = 440, 38
BAR_TOP, BAR_HEIGHT, TICK = 464, 26, 6
FACTS_BASELINE = 532
BAND_HEIGHT, EDGE = 66, 12
LOWERED = 26
"""How much lower the figure and the facts stand where no band takes the foot."""
LEADING_PERCENT = 116
"""The distance of a title's baselines, of its size."""
TITLE_FACES: tuple[tuple[FaceName, int], ...] = (("title-large", 2), ("title-medium", 2), ("title-small", 3))
ALONE_FACES: tuple[tuple[FaceName, int], ...] = (("title-large", 3), ("title-medium", 3), ("title-small", 3))
"""The faces of a title, largest first, and how many lines each may take: beside a figure, and alone."""
VALUE_FACES: tuple[tuple[FaceName, int], ...] = (("figure", 1), ("title-medium", 1), ("title-small", 1))
SEPARATOR = "  ·  "
NO_VALUE, NARROW_SPACE = "–", "\u202f"


def card_png(card: Card) -> bytes:
    """The card as a PNG of 1200 by 630 pixels; equal cards give equal bytes, whatever the machine and its libraries."""
    canvas = Canvas()
    _brand(canvas)
    _heading(canvas, card)
    down = 0 if card.marks else LOWERED
    if card.figure is not None:
        _figure(canvas, card.figure, down)
    facts = SEPARATOR.join(filter(None, map(shown, card.facts)))
    _line(canvas, MARGIN, FACTS_BASELINE + down, facts, "text", "quiet", ROOM)
    _foot(canvas, card.marks)
    return png(canvas.pixels, palette.colours())


def _brand(canvas: Canvas) -> None:
    canvas.picture(MARGIN, BRAND_TOP, atlas().mark.picture, palette.mark_start())
    _line(canvas, BRAND_LEFT, BRAND_BASELINE, BRAND, "brand", "ink", ROOM)


def _heading(canvas: Canvas, card: Card) -> None:
    _line(canvas, MARGIN, KICKER_BASELINE, shown(card.kicker), "strong", "accent", ROOM)
    faces = ALONE_FACES if card.figure is None else TITLE_FACES
    face, lines = fitted([(atlas().faces[name], most) for name, most in faces], _title(card), ROOM)
    baseline = TITLE_TOP + face.size
    for line in lines:
        canvas.text(MARGIN, baseline, line, face, "ink")
        baseline += face.size * LEADING_PERCENT // 100


def _title(card: Card) -> str:
    """The title where every character has a glyph, else the fallback, unless it lacks more."""
    face = atlas().faces["title-large"]
    return min((shown(card.title), shown(card.fallback_title)), key=face.missing)


def _figure(canvas: Canvas, figure: CardFigure, down: int) -> None:
    # A whole space before the sign is a gap in letters of this size.
    value = shown(figure.value).replace(" %", f"{NARROW_SPACE}%")
    faces = [(atlas().faces[name], most) for name, most in VALUE_FACES]
    complete = [(face, most) for face, most in faces if not face.missing(value)] or faces[-1:]
    face, (written, *_) = fitted(complete, value or NO_VALUE, ROOM * 2 // 3)
    canvas.text(MARGIN, VALUE_BASELINE + down, written, face, "ink")
    left = MARGIN + pixels(face, written) + 28
    text = atlas().faces["text"]
    _, label = fitted([(text, 2)], shown(figure.label), WIDTH - MARGIN - left)
    for above, line in enumerate(reversed(label)):
        canvas.text(left, VALUE_BASELINE + down - above * LABEL_LEADING, line, text, "quiet")
    if figure.bar is not None:
        _bar(canvas, figure.bar, BAR_TOP + down)


def _bar(canvas: Canvas, bar: Bar, top: int) -> None:
    """The bar of the leaderboard: track, interval, a tick at the value, a hairline where zero stands if within."""
    canvas.fill(MARGIN, top, ROOM, BAR_HEIGHT, palette.line())
    low, wide = _along(bar.low), _along(bar.width)
    canvas.fill(MARGIN + low, top, min(max(wide, 1), ROOM - low), BAR_HEIGHT, palette.interval())
    zero = _along(bar.zero)
    if zero > 0:
        canvas.fill(MARGIN + zero - 1, top - 6, 2, BAR_HEIGHT + 12, palette.solid("quiet"))
    tick = min(max(_along(bar.at) - TICK // 2, 0), ROOM - TICK)
    canvas.fill(MARGIN + tick, top, TICK, BAR_HEIGHT, palette.solid("accent"))


def _along(position: str) -> int:
    """A position of the bar ("64.2", from 0 to 100) in pixels from its left end."""
    whole, _, tenths = position.partition(".")
    return min(max((int(whole) * 10 + int(tenths or "0")) * ROOM // 1000, 0), ROOM)


def _foot(canvas: Canvas, marks: frozenset[Mark]) -> None:
    """A band that says loudly what holds of the figures; without marks, an edge in the accent."""
    told = [_words(mark) for mark in get_args(Mark) if mark in marks]
    if not told:
        canvas.fill(0, HEIGHT - EDGE, WIDTH, EDGE, palette.solid("accent"))
        return
    ramp: palette.Ramp = "inverse" if marks & {"withdrawn", "not_published"} else "invalid"
    top = HEIGHT - BAND_HEIGHT
    canvas.fill(0, top, WIDTH, BAND_HEIGHT, palette.ground(ramp))
    if ramp == "invalid":
        canvas.fill(0, top, EDGE, BAND_HEIGHT, palette.solid(ramp))
    _line(canvas, MARGIN, top + 43, SEPARATOR.join(told), "strong", ramp, ROOM)


def _words(mark: Mark) -> str:
    match mark:
        case "withdrawn":
            return "⊖ WITHDRAWN"
        case "not_published":
            return "NOT PUBLISHED (PREVIEW)"
        case "synthetic":
            return "SYNTHETIC"
        case "not_signed":
            return "NOT SIGNED"
        case _:
            assert_never(mark)


def _line(canvas: Canvas, left: int, baseline: int, text: str, name: FaceName, ramp: palette.Ramp, room: int) -> None:
    face = atlas().faces[name]
    canvas.text(left, baseline, cut(face, text, room), face, ramp)
