"""Whether what a pack withholds can be: nothing guessable, nothing named that isn't there, no canary in the open."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from dataset.canonical import Json
from dataset.measures.text_match import fold
from dataset.questions.gold import Gold
from dataset.questions.pack_draft import PackDraft
from dataset.questions.pack_entry import Entry
from dataset.questions.pack_fault import PackFault
from dataset.questions.question import Question
from dataset.questions.withholding import Withheld, closed, hides_gold, hides_question

Faults = Iterator[PackFault]
R = TypeVar("R", Question, Gold)

QUESTION_NEEDS_SALT = "PACK-WITHHELD-001"
GOLD_NEEDS_SALT = "PACK-WITHHELD-002"
SALT_USED_TWICE = "PACK-WITHHELD-003"
PART_LISTED_TWICE = "PACK-WITHHELD-005"
CANARY_LISTED_TWICE = "PACK-CANARY-001"
CANARY_IN_PUBLIC = "PACK-CANARY-002"
NEEDS_SALT = (QUESTION_NEEDS_SALT, GOLD_NEEDS_SALT)
"""Faults that a fresh salt mends."""


def withholding_faults(draft: PackDraft) -> Faults:
    """Everything that keeps a pack's withheld parts from being withheld.

    The hash of every question and gold is published. Without a salt whoever guesses the text has proof of it, and two
    entries under one salt are open together once one of them is revealed.
    """
    yield from _repeated_parts(draft)
    for name, question in draft.questions.items():
        parts = _parts_of(draft, name)
        yield from _unsalted(QUESTION_NEEDS_SALT, "question", question, needed=hides_question(parts))
        if name in draft.golds:
            yield from _unsalted(GOLD_NEEDS_SALT, "gold", draft.golds[name], needed=hides_gold(parts))
    yield from _repeated_salts(draft)
    yield from _canaries(draft)


def _parts_of(draft: PackDraft, case_id: str) -> tuple[Withheld, ...]:
    """What is withheld of a case's runs, as far as the draft holds what says so."""
    whole = draft.head.record.withheld if draft.head else ()
    question = draft.questions.get(case_id)
    return closed((*whole, *(question.record.withheld if question else ())))


def _unsalted(code: str, noun: str, entry: Entry[R], *, needed: bool) -> Faults:
    if needed and entry.record.salt is None:
        message = f"the {noun} is withheld, and without a `salt` its published hash lets anyone try texts against it"
        yield entry.fault(code, message, "salt")


def _repeated_parts(draft: PackDraft) -> Faults:
    heads = [] if draft.head is None else [(draft.head.record.withheld, draft.head.fault)]
    entries = [(entry.record.withheld, entry.fault) for entry in draft.questions.values()]
    for parts, fault in (*heads, *entries):
        for i, part in enumerate(parts):
            if part in parts[:i]:
                yield fault(PART_LISTED_TWICE, f"{part!r} is listed twice", "withheld", i)


def _repeated_salts(draft: PackDraft) -> Faults:
    seen: dict[str, str] = {}
    entries: list[Entry[Question] | Entry[Gold]] = [*draft.questions.values(), *draft.golds.values()]
    for entry in entries:
        salt = entry.record.salt
        if salt is None:
            continue
        place = entry.fault("", "", "salt")
        if salt in seen:
            yield entry.fault(SALT_USED_TWICE, f"the salt of {seen[salt]} too: each entry needs its own", "salt")
        seen.setdefault(salt, f"{place.file}:{place.line}")


def _canaries(draft: PackDraft) -> Faults:
    if draft.head is None:
        return
    canaries = [fold(canary) for canary in draft.head.record.canaries]
    public = [(name, fold(text)) for name, value in _public_entries(draft) for text in _texts(value)]
    for i, canary in enumerate(canaries):
        if canary in canaries[:i]:
            yield draft.head.fault(CANARY_LISTED_TWICE, "this canary is listed twice", "canaries", i)
        elif name := next((name for name, text in public if canary in text), None):
            message = f"the canary stands in {name}, which is published: every release would be refused"
            yield draft.head.fault(CANARY_IN_PUBLIC, message, "canaries", i)


def _public_entries(draft: PackDraft) -> Iterator[tuple[str, Json]]:
    """What any release of the pack shows, by the file it stands in. Fixtures and prompts aren't of it for certain: a
    prompt is never shown, a reply where the steps of a case that asks for it are."""
    shared = (draft.tools, draft.scenes, draft.permissions, draft.variants, draft.templates)
    for entry in (entry for entries in shared for entry in entries.values()):
        yield entry.document.file, entry.record.body()
    for name, question in draft.questions.items():
        parts, gold = _parts_of(draft, name), draft.golds.get(name)
        if not hides_question(parts):
            yield question.document.file, question.record.body()
        if gold is not None and not hides_gold(parts):
            yield gold.document.file, gold.record.body()
    if not any(_parts_of(draft, name) for name in draft.questions):
        for fixture in draft.fixtures.values():
            yield fixture.document.file, fixture.record.body()


def _texts(value: Json) -> Iterator[str]:
    """Every string of a JSON value that isn't a key."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
