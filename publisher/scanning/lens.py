"""Layers and rules over one document: every text it holds, in clear or in disguise, is shown to every rule."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple, Protocol

from publisher.scanning.gate import joined, shared_gate
from publisher.scanning.layers.interface import Layer
from publisher.scanning.rules.interface import Hit, Rule, ScreenedRule
from publisher.scanning.text import Text

LIMIT_RULE = "SCAN-LIMIT-001"
# The strings of a JSON document are encoded once; below that, three encodings in any order.
DEPTH = 4
# What a document may decode to in all: so many times its size, and this much however small it is.
LARGEST_GROWTH = 16
SMALLEST_LIMIT = 1024 * 1024


class PatternGate(Protocol):
    """What tells which of the patterns it was made for occur in texts."""

    def passed_each(self, texts: Sequence[bytes]) -> Sequence[Collection[int]]:
        """Their numbers for each text, and perhaps those of some that don't occur."""
        ...


class Sighting(NamedTuple):
    """A hit, the byte of the document where it stands or was read from, and what was hit."""

    offset: int
    hit: Hit
    secret: str


class _View:
    """A document while it is looked through."""

    def __init__(self, data: bytes) -> None:
        self.data, self.seen = data, list[Sighting]()
        self._left = LARGEST_GROWTH * len(data) + SMALLEST_LIMIT

    @property
    def is_over(self) -> bool:
        """Whether it decoded to more than can be looked at, so that nothing more of it is."""
        return self._left < 0

    def takes(self, below: Text) -> bool:
        """Whether one more text can be looked at; the first that can't be is seen."""
        self._left -= len(below.data)
        if self.is_over:
            self.seen.append(Sighting(0, Hit(LIMIT_RULE, "decodes to more than can be looked at", 0, 0), ""))
        return not self.is_over


class Lens:
    """Rules and layers behind a gate that leaves out those which can't have anything to say about a text."""

    def __init__(
        self,
        rules: Sequence[Rule],
        *layers: Sequence[Layer],
        make_gate: Callable[..., PatternGate] = shared_gate,
    ) -> None:
        """`layers` in rows whose marks the gate looks for together; the first row with the marks of the rules."""
        marks: list[re.Pattern[bytes]] = []
        # So many rules that those a text may break are looked up by what passed, not asked one by one.
        self._rules = tuple(rules)
        self._broken_by = {mark: at for at, rule in enumerate(rules) for mark in _numbers(rule.marks, marks)}
        self._screened = [rule for rule in rules if isinstance(rule, ScreenedRule)]
        self._layers: list[tuple[Layer, frozenset[int]]] = []
        ends = [0]
        for row in layers:
            self._layers += [(layer, _numbers(layer.marks, marks)) for layer in row]
            ends.append(len(marks))
        self._gate = make_gate(*(tuple(marks[start:end]) for start, end in pairwise(ends)))

    def sightings(self, data: bytes) -> list[Sighting]:
        """What the rules see in a document and in all that is read out of it, one reading after the other."""
        return self.sightings_each([data])[0]

    def sightings_each(self, documents: Sequence[bytes]) -> list[list[Sighting]]:
        """The same for each of `documents`, which are looked through together, one depth after the other."""
        views = [_View(data) for data in documents]
        level = [(view, Text(view.data)) for view in views]
        while level:
            level = list(self._below(level))
        return [view.seen for view in views]

    def _below(self, level: Sequence[tuple[_View, Text]]) -> Iterator[tuple[_View, Text]]:
        """Looks at the texts of one depth; those of the next."""
        data = [text.data for _, text in level]
        together = joined(data)
        screened = [rule for rule in self._screened if rule.may_hold(together)]
        for (view, text), passed in zip(level, self._gate.passed_each(data), strict=True):
            if view.is_over:
                continue
            unmarked = [rule for rule in screened if len(data) == 1 or rule.may_hold(text.data)]
            view.seen += self._seen(text, passed, unmarked)
            for below in self._read(text, passed):
                if view.takes(below):
                    yield view, below
                else:
                    break

    def _seen(self, text: Text, passed: Collection[int], unmarked: Sequence[ScreenedRule]) -> Iterator[Sighting]:
        marked = {self._broken_by[mark] for mark in passed if mark in self._broken_by}
        for rule in (*unmarked, *(self._rules[at] for at in sorted(marked))):
            for hit in rule.find(text.data):
                secret = text.data[hit.start : hit.end].decode("utf-8", "surrogateescape")
                yield Sighting(text.offset_in_document(hit.start), hit, secret)

    def _read(self, text: Text, passed: Collection[int]) -> Iterator[Text]:
        if text.depth == DEPTH:
            return
        for layer, marks in self._layers:
            if not marks.isdisjoint(passed):
                for reading in layer.readings(text.data):
                    yield text.read(reading)


def _numbers(marks: Sequence[re.Pattern[bytes]], all_marks: list[re.Pattern[bytes]]) -> frozenset[int]:
    """The numbers that `marks` get at the end of `all_marks`."""
    first = len(all_marks)
    all_marks += marks
    return frozenset(range(first, len(all_marks)))
