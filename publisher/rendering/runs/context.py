"""The context of a run as its model was given it: item by item, each with what stood in its place."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import get_args

from markupsafe import Markup

from dataset.artifacts.artifact import ContextItemRecord, ContextSection
from dataset.artifacts.outside_text import shown
from dataset.context.compression import omission_mark
from dataset.context.framing import omission_note
from dataset.context.interface import DecisionKind
from dataset.context.item import Area
from dataset.context.untrusted_text import defused
from dataset.questions.session import ItemCategory
from publisher.rendering.bars import place
from publisher.rendering.language.message import Joined, Message, Sayable
from publisher.rendering.runs.passage import Passage, glimpse, passage, worked_passage
from publisher.rendering.visible_text import marked_up

DECISIONS: tuple[DecisionKind, ...] = get_args(DecisionKind)
_OMISSION = re.compile(re.escape(omission_mark(0)).replace("0", r"\d+"))
_CATEGORIES: Mapping[str, Message] = {
    "system": Message("system prompt"),
    "policy": Message("policy"),
    "dialogue": Message("dialogue"),
    "tool_call": Message("tool call"),
    "tool_result": Message("tool result"),
    "note": Message("note"),
    "document": Message("document"),
    "question": Message("question"),
}
_ROLES: Mapping[str, Message] = {
    "system": Message("role system"),
    "user": Message("role user"),
    "assistant": Message("role assistant"),
    "tool": Message("role tool"),
}
_AREAS: Mapping[Area, Message] = {"instruction": Message("instruction area"), "data": Message("data area")}


@dataclass(frozen=True, kw_only=True, slots=True)
class ContextEntry:
    """One item. `working` is what the model read of it, null where it read nothing or the text is withheld;
    `original` is the item's own text, null where that is what the model read."""

    record: ContextItemRecord
    name: Markup
    kind: Sayable
    """Its category, role and area, and whether it must be kept."""
    tokens: Sayable
    reason: Markup
    source: Markup
    working: Passage | None
    original: Passage | None
    glimpse: Markup
    """How the original of an omitted item begins, on one line."""
    note: str | None
    """What the model read in the place of this item and all other omitted ones; on the first of them only."""
    valid_unicode: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class TokenBar:
    """Widths from 0 to 100: all items whole, what the model was given, and where the opening's budget ends."""

    original: str
    working: str
    budget: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class ContextView:
    """The whole section. `counts` are items by decision, in the order of `DECISIONS`, without those of none."""

    section: ContextSection
    entries: tuple[ContextEntry, ...]
    counts: tuple[tuple[DecisionKind, int], ...]
    bar: TokenBar | None

    def category(self, name: str) -> Message | str:
        """The words of a category; the recorded name of one that isn't known."""
        return _CATEGORIES.get(name, name)


def context_view(section: ContextSection) -> ContextView:
    """The view of a run's context. In an artifact from before the opening had a budget of its own every text stands as
    it is recorded: how it was worded then isn't known here."""
    counts = Counter(item.decision for item in section.items)
    return ContextView(
        section=section,
        entries=tuple(_entries(section)),
        counts=tuple((decision, counts[decision]) for decision in DECISIONS if counts[decision]),
        bar=_bar(section),
    )


def _entries(section: ContextSection) -> Iterator[ContextEntry]:
    worded = section.opening_budget is not None
    left_out = [item for item in section.items if item.decision == "omitted"]
    opened = worded and len(left_out) < len(section.items)
    for item in section.items:
        note = None
        if opened and left_out and item is left_out[0]:
            note = omission_note(len(left_out), sum(i.original_tokens for i in left_out)).text
        yield _entry(item, note, worded)


def _entry(item: ContextItemRecord, note: str | None, worded: bool) -> ContextEntry:
    original = None if item.text is None else shown(item.text)
    read = _read(item, original)
    if read is not None and worded and item.trust == "untrusted" and item.decision != "referenced":
        read = defused(read)
    marks = item.decision == "compressed"
    return ContextEntry(
        record=item,
        name=marked_up(item.id),
        kind=_kind(item.category, item.role, item.area, item.required),
        tokens=Message("%(whole)s → %(given)s tokens", whole=item.original_tokens, given=item.working_tokens),
        reason=marked_up(item.reason),
        source=marked_up(item.source),
        working=None
        if read is None
        else worked_passage(read, _marked(read, original or "") if marks else marked_up(read)),
        original=None if original is None or original == read else passage(original),
        glimpse=glimpse(original) if item.decision == "omitted" and original is not None else Markup(),
        note=note,
        valid_unicode=isinstance(item.text, str | None) and isinstance(item.working_text, str | None),
    )


@cache
def _kind(category: ItemCategory, role: str, area: Area, required: bool) -> Sayable:
    parts = (_CATEGORIES[category], _ROLES[role], _AREAS[area])
    return Joined((*parts, Message("required")) if required else parts, " · ")


def _read(item: ContextItemRecord, original: str | None) -> str | None:
    """What reached the model of an item, before its untrusted part was made harmless."""
    if item.decision == "omitted":
        return None
    if item.working_text is not None:
        return shown(item.working_text)
    return original


def _marked(text: str, original: str) -> Markup:
    """The text with its omission marks as elements; what the original itself holds is no mark of ours."""
    pieces, last = [], 0
    for found in _OMISSION.finditer(text):
        if found[0] not in original:
            pieces += [marked_up(text[last : found.start()]), Markup('<mark class="cut">{}</mark>').format(found[0])]
            last = found.end()
    return Markup("").join([*pieces, marked_up(text[last:])])


def _bar(section: ContextSection) -> TokenBar | None:
    whole = max(section.original_tokens, section.working_tokens, section.opening_budget or 0)
    if not whole:
        return None

    def width(tokens: int) -> str:
        return place(Decimal(100 * tokens) / whole)

    return TokenBar(
        original=width(section.original_tokens),
        working=width(section.working_tokens),
        budget=None if section.opening_budget is None else width(section.opening_budget),
    )
