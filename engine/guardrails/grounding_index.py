"""Every number of a run's evidence, ready to be looked up by value, date, time or name."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Context, Decimal

from dataset.measures.guard_order import QUESTION_SOURCE
from dataset.measures.numbers import (
    NumberMention,
    find_numbers,
    fold,
    scales_named,
    states_same_number,
)
from engine.guardrails.interface import AnswerContext, Grounding

_EXACT = Context(prec=400)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Source:
    name: str
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class _Reading:
    """A value that a mention gives, `rank` being its place in reading order: that of `GroundingIndex`."""

    size: Decimal
    rank: int
    mention: NumberMention
    source: _Source


class GroundingIndex:
    """Looks up the source of a number: tool results by step, then the session in its order, then the question."""

    def __init__(self, context: AnswerContext) -> None:
        results = sorted(context.tool_results, key=lambda result: result.step)
        self._sources = [
            *(_Source(name=result.source, text=fold(result.text)) for result in results),
            *(_Source(name=entry.source, text=fold(entry.text)) for entry in context.session),
            _Source(name=QUESTION_SOURCE, text=fold(context.question)),
        ]
        self._quantities: list[_Reading] = []
        self._others: dict[tuple[object, ...], _Reading] = {}
        self._known: dict[tuple[object, ...], Grounding | None] = {}
        for source in self._sources:
            self._add(source)
        self._quantities.sort(key=lambda reading: reading.size)
        self._sizes = [reading.size for reading in self._quantities]

    def _add(self, source: _Source) -> None:
        scales = scales_named(source.text)
        for mention in _mentions(source.text):
            rank = len(self._quantities) + len(self._others)
            for value in _values(mention, scales):
                read = mention if value is mention.value else replace(mention, value=value)
                self._quantities.append(_Reading(size=abs(value), rank=rank, mention=read, source=source))
            if mention.dates or mention.moment is not None or mention.kind == "identifier":
                key = (mention.dates, mention.moment, mention.text.casefold() if mention.kind == "identifier" else "")
                self._others.setdefault(key, _Reading(size=Decimal(0), rank=rank, mention=mention, source=source))

    def source_of(self, shown: NumberMention, *, either_sign: bool) -> Grounding | None:
        """Where the number comes from, or None."""
        key = (shown.text, shown.kind, shown.value, shown.exponent, either_sign)
        if key not in self._known:
            self._known[key] = self._found(shown, either_sign)
        return self._known[key]

    def _found(self, shown: NumberMention, either_sign: bool) -> Grounding | None:
        found = min(self._matching(shown, either_sign), key=lambda reading: reading.rank, default=None)
        if found is not None:
            return _grounding(shown, found.source.name, found.mention.text)
        literal = fold(shown.text)
        for source in self._sources:
            if _stands_alone(literal, source.text):
                return _grounding(shown, source.name, shown.text)
        return None

    def _matching(self, shown: NumberMention, either_sign: bool) -> Iterator[_Reading]:
        if shown.exponent is None or shown.dates or shown.moment is not None:
            yield from (r for r in self._others.values() if states_same_number(shown, r.mention))
        elif shown.kind == "plain" and shown.exponent == 0 and 1900 <= shown.value <= 2100:
            yield from (r for r in self._others.values() if r.mention.dates and states_same_number(shown, r.mention))
        if shown.exponent is None:
            return
        for reading in self._near(shown):
            if states_same_number(shown, reading.mention, either_sign=either_sign):
                yield reading

    def _near(self, shown: NumberMention) -> Iterator[_Reading]:
        """Readings that could round to the shown number, on its own scale or across the percent sign."""
        unit = Decimal((0, (1,), shown.exponent or 0))
        size = abs(shown.value)
        for shift in (0, -2, 2):
            low, high = ((size + step).scaleb(shift, _EXACT) for step in (-unit, unit))
            yield from self._quantities[bisect_left(self._sizes, low) : bisect_right(self._sizes, high)]


def _mentions(text: str) -> Iterator[NumberMention]:
    """The numbers of a text; 100,200 counts as two as well, for tools answer in JSON without blanks."""
    for mention in find_numbers(text):
        yield mention
        if mention.grouped and "," in mention.text:
            for piece in mention.text.split(","):
                yield from find_numbers(piece)


def _values(mention: NumberMention, scales: frozenset[int]) -> Iterator[Decimal]:
    """The value, and the value in each scale that the same text names ({"aum": 12.34, "unit": "亿元"})."""
    if mention.exponent is None:
        return
    yield mention.value
    if mention.scale == 0 and not mention.is_percent:
        yield from (mention.value.scaleb(scale, _EXACT) for scale in sorted(scales))


def _grounding(shown: NumberMention, source: str, text: str) -> Grounding:
    return Grounding(number=shown.text, value=shown.canonical, source=source, source_text=text)


def _stands_alone(literal: str, text: str) -> bool:
    """Whether the literal occurs as a token of its own: the 31 in 2026-03-31 doesn't."""
    at = text.find(literal)
    while at >= 0:
        before, after = text[at - 1 : at], text[at + len(literal) : at + len(literal) + 2]
        joined_before = before.isalnum() or before in tuple(".,-/:")
        joined_after = after[:1].isalnum() or (after[:1] in tuple(".,-/:") and after[1:].isdecimal())
        if not joined_before and not joined_after:
            return True
        at = text.find(literal, at + 1)
    return False
