"""Layers and rules over one document: every text it holds, in clear or in disguise, is shown to every rule."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple, Protocol

from publisher.scanning.gate import shared_gate
from publisher.scanning.layers.interface import Layer
from publisher.scanning.rules.interface import Hit, Rule
from publisher.scanning.text import Text

LIMIT_RULE = "SCAN-LIMIT-001"
# The strings of a JSON document are encoded once; below that, three encodings in any order.
DEPTH = 4
# What a document may decode to in all: so many times its size, and this much however small it is.
LARGEST_GROWTH = 16
SMALLEST_LIMIT = 1024 * 1024


class PatternGate(Protocol):
    """What tells which of the patterns it was made for occur in a text."""

    def passed(self, data: bytes) -> Collection[int]:
        """Their numbers, and perhaps those of some that don't occur."""
        ...


class Sighting(NamedTuple):
    """A hit, the byte of the document where it stands or was read from, and what was hit."""

    offset: int
    hit: Hit
    secret: str


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
        self._rules = [(rule, _numbers(rule.marks, marks)) for rule in rules]
        self._layers: list[tuple[Layer, frozenset[int]]] = []
        ends = [0]
        for row in layers:
            self._layers += [(layer, _numbers(layer.marks, marks)) for layer in row]
            ends.append(len(marks))
        self._gate = make_gate(*(tuple(marks[start:end]) for start, end in pairwise(ends)))

    def sightings(self, data: bytes) -> Iterator[Sighting]:
        """What the rules see in a document and in all that is read out of it, one reading after the other."""
        texts, left = deque([Text(data)]), LARGEST_GROWTH * len(data) + SMALLEST_LIMIT
        while texts:
            text = texts.popleft()
            passed = self._gate.passed(text.data)
            yield from self._seen(text, passed)
            for below in self._read(text, passed):
                left -= len(below.data)
                if left < 0:
                    yield Sighting(0, Hit(LIMIT_RULE, "decodes to more than can be looked at", 0, 0), "")
                    return
                texts.append(below)

    def _seen(self, text: Text, passed: Collection[int]) -> Iterator[Sighting]:
        for rule, marks in self._rules:
            if not marks or not marks.isdisjoint(passed):
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
