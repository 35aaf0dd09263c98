"""Where in a document a byte stands, told without showing anything that must not be shown."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from publisher.scanning.finding import conceal, mask, printable

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\],:]', re.DOTALL)


class Place(NamedTuple):
    """`pointer` is the JSON pointer as tokens, None where the document is no JSON; `line` counts from 1."""

    pointer: tuple[str, ...] | None
    line: int
    is_key: bool = False

    def told(self, source: str, secrets: Collection[str]) -> str:
        """`source#/json/pointer` or `source:line`, free of `secrets`, which may stand in names too."""
        place = printable(conceal(source, secrets))
        if self.pointer is None:
            return f"{place}:{self.line}" if self.line else place
        steps = "".join("/" + _escaped(conceal(token, secrets)) for token in self.pointer)
        return f"{place}#{steps}" + (" (key)" if self.is_key else "")


def _escaped(token: str) -> str:
    """A reference token as RFC 6901 writes it."""
    return printable(token.replace("~", "~0").replace("/", "~1"))


class _Level:
    """An object or array that is open; `step` names the member or counts the element that is being read."""

    def __init__(self, *, is_object: bool) -> None:
        self.is_object, self.step, self.names_next = is_object, "" if is_object else "0", is_object

    def next(self) -> None:
        if self.is_object:
            self.names_next = True
        else:
            self.step = str(int(self.step) + 1)


def json_places(data: bytes, offsets: Sequence[int]) -> Iterator[Place]:
    """The places of `offsets`, which ascend, in a JSON document. A name that holds one of them is masked in every
    place below it: what was found there may be encoded, so that concealing the secret alone wouldn't hide it."""
    levels: list[_Level] = []
    at = 0
    for match in _TOKEN.finditer(data):
        first, is_key = at, False
        while at < len(offsets) and offsets[at] < match.end():
            at += 1
        token = match[0]
        if token[:1] == b'"' and levels and levels[-1].names_next:
            name, is_key = _decoded(token), True
            levels[-1].step = mask(name) if at > first else name
            levels[-1].names_next = False
        for _ in range(first, at):
            yield Place(tuple(level.step for level in levels), 0, is_key)
        _follow(levels, token)
    for _ in range(at, len(offsets)):
        yield Place((), 0)


def _follow(levels: list[_Level], token: bytes) -> None:
    if token in {b"{", b"["}:
        levels.append(_Level(is_object=token == b"{"))
    elif token in {b"}", b"]"}:
        levels.pop()
    elif token == b"," and levels:
        levels[-1].next()


def _decoded(token: bytes) -> str:
    return str(json.loads(token.decode("utf-8", "surrogateescape"), strict=False))


def line_places(data: bytes, offsets: Sequence[int], first_line: int) -> Iterator[Place]:
    """The places of `offsets`, which ascend, by line."""
    line, at = first_line, 0
    for offset in offsets:
        line += data.count(b"\n", at, offset)
        at = max(at, offset)
        yield Place(None, line)
