"""The document as it stands."""

from __future__ import annotations

from collections.abc import Iterable

from publisher.scanning.layers.interface import Document
from publisher.scanning.passage import Passage


class AsWritten:
    """Yields the whole text once."""

    def passages(self, document: Document) -> Iterable[Passage]:
        """One passage, with numbered lines."""
        yield Passage(text=document.text, source=document.source, form=document.form, first_line=document.first_line)
