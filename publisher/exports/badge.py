"""Badges to show elsewhere: a small SVG for each row of the leaderboard, with nothing in it that is fetched or run."""

from __future__ import annotations

from collections.abc import Iterator

from publisher.exports.citation import one_line
from publisher.exports.interface import ExportFile, ExportSource
from publisher.exports.xml_document import element, xml_bytes
from publisher.rendering.boards.board import Row
from publisher.rendering.figures import percent

_NARROW, _WIDE = 7, 12
"""Units that a character takes. `textLength` makes it so in any font."""
_FIRST_WIDE = 0x1100
"""From Hangul on, scripts are mostly wide. A rule of our own: Python's tables differ from version to version."""
_LONGEST = 40
_PADDING = 8
_HEIGHT = 20


def badges(source: ExportSource) -> Iterator[ExportFile]:
    """`badges/{batch}/{model}.svg` for every row of every board."""
    for board in source.boards:
        for row in board.rows:
            yield ExportFile(
                name=badge_name(row),
                title=f"Badge of {row.model.key} in {row.batch_id}",
                media_type="image/svg+xml",
                data=badge(row, source.release),
            )


def badge_name(row: Row) -> str:
    """Where the badge of a row stands."""
    return f"badges/{row.batch_id}/{row.model.key}.svg"


def badge(row: Row, release: int) -> bytes:
    """A badge: the model's name, its pass rate with the interval, and the valid of the planned runs."""
    name = one_line(row.model.display_name)
    mark = " (synthetic)" if row.model.synthetic else ""
    label, value = _cut(name) + mark, _value(row)
    left, right = _width(label) + 2 * _PADDING, _width(value) + 2 * _PADDING
    root = element(
        "svg",
        xmlns="http://www.w3.org/2000/svg",
        width=str(left + right),
        height=str(_HEIGHT),
        viewBox=f"0 0 {left + right} {_HEIGHT}",
        role="img",
    )
    root.set("aria-labelledby", "title desc")
    root.append(element("title", f"{name}{mark}: {value}", id="title"))
    where = f"Batch {row.batch_id}, release {release} of a Glassbench site."
    root.append(element("desc", f"{where} Pass rate with its 95 % interval, and valid / planned runs.", id="desc"))
    root.append(element("rect", width=str(left), height=str(_HEIGHT), fill="#3b4252"))
    root.append(element("rect", x=str(left), width=str(right), height=str(_HEIGHT), fill="#1f5f8b"))
    for text, start in ((label, _PADDING), (value, left + _PADDING)):
        written = element("text", text, x=str(start), y="14", fill="#ffffff", textLength=str(_width(text)))
        written.set("font-family", "Verdana, DejaVu Sans, sans-serif")
        written.set("font-size", "11")
        root.append(written)
    return xml_bytes(root)


def _value(row: Row) -> str:
    measures = row.measures
    rate, low, high = measures.metrics["pass-rate"], measures.pass_rate_low, measures.pass_rate_high
    valid = f"{measures.valid} / {measures.planned} valid"
    if rate is None or low is None or high is None:
        return f"unknown, {valid}"
    return f"{percent(rate)} ({percent(low)} – {percent(high)}), {valid}"


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _width(text: str) -> int:
    return sum(_WIDE if ord(character) >= _FIRST_WIDE else _NARROW for character in text) or _NARROW
