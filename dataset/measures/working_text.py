"""What of a session reached the model, entry by entry, as an artifact records it."""

from __future__ import annotations

from collections.abc import Iterator

from dataset.artifacts.artifact import ContextItemRecord, ContextSection
from dataset.artifacts.outside_text import shown
from dataset.context.opening_items import QUESTION, SYSTEM_PROMPT


def working_texts(context: ContextSection) -> Iterator[tuple[ContextItemRecord, str]]:
    """Each entry of the session that reached the model, and the text that it reached it with.

    A reference is no text of the entry: it says where the entry is, not what it says.
    """
    for item in context.items:
        if item.id in (SYSTEM_PROMPT, QUESTION):
            continue
        if item.decision == "kept" and item.text is not None:
            yield item, shown(item.text)
        elif item.decision == "compressed" and item.working_text is not None:
            yield item, shown(item.working_text)


def trusted_texts(context: ContextSection) -> Iterator[tuple[str, str]]:
    """Id and working text of each trusted entry: what figures may be taken from."""
    return ((item.id, text) for item, text in working_texts(context) if item.trust == "trusted")
