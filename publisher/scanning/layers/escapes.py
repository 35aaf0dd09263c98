"""Texts that are no JSON document: backslash escapes and HTML entities decoded, line by line."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator

from publisher.scanning.layers.interface import Document
from publisher.scanning.passage import Passage

DECODING_DEPTH = 3
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))")
_PLAIN = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}


class Escapes:
    """Reads JSON lines, broken JSON, source code and HTML the way their reader would.

    Lines are decoded one by one, so that a finding keeps its line number.
    """

    def passages(self, document: Document) -> Iterable[Passage]:
        """The lines that decoding changes; none for a JSON document, whose strings are decoded exactly."""
        if document.value is not None:
            return
        for number, line in enumerate(document.text.split("\n")):
            if "\\" not in line and "&" not in line:
                continue
            place = "" if document.first_line is None else f":{document.first_line + number}"
            for text in _decodings(line):
                yield Passage(text=text, source=document.source + place, form=document.form)


def _decodings(line: str) -> Iterator[str]:
    """Each further decoding of `line` that differs from the one before."""
    for _ in range(DECODING_DEPTH):
        decoded = html.unescape(_ESCAPE.sub(_unescaped, line))
        if decoded == line:
            return
        yield decoded
        line = decoded


def _unescaped(match: re.Match[str]) -> str:
    code = match[1] or match[2]
    return chr(int(code, 16)) if code else _PLAIN.get(match[3], match[3])
