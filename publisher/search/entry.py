"""A document made ready for the index: its terms with their weight, and the row that a result is shown from.

It depends on its document alone, so whoever builds a site again may keep it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain

import orjson

from publisher.rendering.visible_text import plain
from publisher.search.concepts import concept_counts
from publisher.search.document import Kind, SearchDocument, Wording
from publisher.search.terms import term_counts

INDEXED_CHARACTERS = 20_000
"""Of the text of one wording. What stands further down a longer page isn't found."""
TITLE_WEIGHT = 5
"""A term in a title counts as often as this in the text."""
FACT_WEIGHT = 2
MOST_COUNTED = 255
_TITLE, _EXCERPT, _FACT, _FACTS = 200, 320, 80, 8


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """`counts` holds for each term how often it stands there, titles and facts weighted, at most MOST_COUNTED;
    `length` is the sum before that. `row` is JSON: [href, title, excerpt, facts, {language: [title, excerpt, facts]}].
    `digest` changes with anything in the document."""

    kind: Kind
    counts: Mapping[str, int]
    length: int
    row: bytes
    digest: bytes


def make_entry(document: SearchDocument) -> Entry:
    """The entry of one document."""
    counts: Counter[str] = Counter()
    for wording in (document.wording, *document.translations.values()):
        _count(document.kind, wording, counts)
    translated = {language: _shown(wording) for language, wording in sorted(document.translations.items())}
    return Entry(
        kind=document.kind,
        counts={term: min(count, MOST_COUNTED) for term, count in counts.items()},
        length=counts.total(),
        row=orjson.dumps([document.href, *_shown(document.wording), translated]),
        digest=_digest(document),
    )


def _count(kind: Kind, wording: Wording, counts: Counter[str]) -> None:
    named = [(wording.title, TITLE_WEIGHT), *((fact, FACT_WEIGHT) for fact in (*wording.facts, wording.words))]
    text = wording.text[:INDEXED_CHARACTERS]
    for part, weight in (*named, (text, 1)):
        for term, count in term_counts(part).items():
            counts[term] += count * weight
    # What a run was asked and has answered touches every concept by chance; what it is told by doesn't.
    for part, weight in named if kind == "run" else (*named, (text, 1)):
        for concept, count in concept_counts(part).items():
            counts[concept] += count * weight


def _shown(wording: Wording) -> tuple[str, str, list[str]]:
    facts = [_short(fact, _FACT) for fact in wording.facts[:_FACTS]]
    return _short(wording.title, _TITLE), _short(wording.text, _EXCERPT), facts


def _short(text: str, most: int) -> str:
    # No more than may be shown is looked at: a text may be very long.
    words = " ".join(text[: 8 * most].split())
    short = plain(words[:most])
    return f"{short[:most]}…" if len(words) > most or len(short) > most else short


def _digest(document: SearchDocument) -> bytes:
    wordings = chain([("", document.wording)], sorted(document.translations.items()))
    said = [[language, each.title, each.text, each.facts, each.words] for language, each in wordings]
    return sha256(orjson.dumps([document.kind, document.href, said])).digest()
