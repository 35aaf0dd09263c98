"""Texts in UTF-16 or UTF-32, with or without a byte order mark that may lie."""

from __future__ import annotations

from collections.abc import Iterator

from publisher.scanning.layers.escapes import Escapes
from publisher.scanning.layers.interface import Document
from publisher.scanning.passage import Passage

# UTF-16 of Latin letters is half NUL; fewer are a sign of a binary file.
NUL_SHARE = 4


class WideCharacters:
    """Reads past the NULs: what a rule looks for is ASCII, and every second byte of it is NUL in UTF-16."""

    def passages(self, document: Document) -> Iterator[Passage]:
        """The text without NULs, and its escapes decoded, where a quarter or more are NULs."""
        if document.text.count("\0") * NUL_SHARE >= max(1, len(document.text)):
            narrow = Document.whole(document.text.replace("\0", ""), document.source, first_line=document.first_line)
            yield Passage(narrow.text, narrow.source, narrow.form, first_line=narrow.first_line)
            yield from Escapes().passages(narrow)
