"""Where a text that is withheld stands in what becomes public all the same."""

from __future__ import annotations

import re
import unicodedata
from base64 import b64decode
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from dataset.artifacts.artifact import SECTION_NAMES
from dataset.artifacts.definition import BatchDefinition
from dataset.artifacts.outside_text import held
from dataset.canonical import CanonicalError, Json, read_canonical, read_strict
from dataset.measures.text_match import fold
from dataset.questions.pack import Pack
from dataset.questions.withholding import WITHHELD, Withheld, hides_gold, hides_question
from publisher.gates.concealed import shown_place
from publisher.projection.public_catalogue import publish_catalogue
from publisher.projection.report import PublicCase

LEAST_WIDTH = 24
"""Columns of the shortest text that tells where it came from; a Chinese character takes two."""

_EVIDENCE = ("case", "context", "visible_tools", "steps", "result")
_PUBLIC_ANYWAY: Mapping[Withheld, tuple[str, ...]] = {
    "case": (),
    "context": ("case",),
    "visible_tools": ("case", "context"),
    "steps": ("case", "context", "result"),
    "result": ("case", "context", "steps"),
    "guardrail_checks": _EVIDENCE,
    "judgment": _EVIDENCE,
    "output_checks": _EVIDENCE,
    "gold": _EVIDENCE,
}
"""The sections that a part is made of, or that were made without it: no model sees a gold, so an answer that has its
words gives none away. What a public one of them says is public, wherever it stands besides."""

_TOKEN = re.compile(r"[\w.-]+", re.ASCII)  # ids, codes, hashes, names of tools
_TIME = re.compile(r"\d{4}-\d\d-\d\dt[\d:.]+z")
_END_OF_SENTENCE = re.compile(r"(?<=[.!?])\s+|[。！？；\n]")


@dataclass(frozen=True, kw_only=True, slots=True)
class Leak:
    """A text of a withheld part, without its words. `source` says where it is withheld, `place` where it is public: a
    pointer into the run file, or into the report. `mend` is what would keep it in."""

    part: Withheld
    source: str
    place: str
    mend: str

    def __str__(self) -> str:
        return f"a text of {self.part}, which is withheld ({self.source}), stands here: {self.mend}"


@dataclass(frozen=True, kw_only=True, slots=True)
class _Text:
    place: str
    folded: str


@dataclass(frozen=True, kw_only=True, slots=True)
class _Secret:
    part: Withheld
    source: str
    folded: str


class LeakSearch:
    """Looks for what a pack's cases withhold: every text of LEAST_WIDTH and more, and every sentence of one, compared
    after `fold` (NFKC, white space, case). Ids, hashes, times, names of tools, and what stands in the catalogue or in a
    variant, are public anyway."""

    def __init__(self, pack: Pack) -> None:
        self._pack = pack

    def in_run(self, whole: bytes, public: bytes, *, case_id: str, parts: Collection[Withheld]) -> Iterator[Leak]:
        """The leaks into a public run file from the same run's artifact, and from the question and gold of its case
        where `parts` hides them. A section is withheld where `public` lacks it."""
        full, shown = read_canonical(whole), read_canonical(public)
        texts = {name: list(_texts(shown[name], f"/{name}")) for name in SECTION_NAMES if name in shown}
        hidden = {name: full[name] for name in WITHHELD if name in full and name not in shown}
        secrets = list(_secrets([*hidden.items(), *self._entries(case_id, parts)]))
        anyway = {part: self._anyway(part, texts, case_id, parts) for part in {secret.part for secret in secrets}}
        told = [secret for secret in secrets if secret.folded not in anyway[secret.part]]
        for section, found in texts.items():
            yield from _leaks(told, found, _run_mend(section))

    def in_report(self, definition: BatchDefinition, withheld: Mapping[str, Collection[Withheld]]) -> Iterator[Leak]:
        """The leaks of withheld questions and golds into the report of a batch: its definition and its public cases
        (all else in it are numbers and ids). `withheld` by case id, reveals taken off."""
        batch = list(_texts(definition.body(), "/definition"))
        cases = {case.id: list(self._public_case(at, case.id, withheld)) for at, case in enumerate(definition.cases)}
        for case in definition.cases:
            entries = self._entries(case.id, withheld.get(case.id, ()))
            secrets = [secret for secret in _secrets(entries) if secret.folded not in self._public_text]
            yield from _leaks(secrets, batch, "reword it there")
            asked = [secret for secret in secrets if secret.part != "gold"]  # golds share their wordings
            for other, found in cases.items():
                mend = "withhold `gold` too" if other == case.id else f"withhold `case` of {other} too, or reword it"
                yield from _leaks(asked, found, mend)

    @cached_property
    def _public_text(self) -> str:
        """What every report of the pack shows, whatever its cases withhold."""
        entries: list[Any] = [publish_catalogue(self._pack.catalogue), *self._pack.variants.values()]
        return _joined(text for entry in entries for text in _texts(entry.body(), ""))

    def _entries(self, case_id: str, parts: Collection[Withheld]) -> Iterator[tuple[Withheld, Json]]:
        """What the bank holds of a case and its report doesn't show."""
        question, gold = self._pack.questions.get(case_id), self._pack.golds.get(case_id)
        if question is not None and hides_question(parts):
            asked = question.model_dump(mode="json", include={"title", "text", "session"})
            yield "case" if "case" in parts else "context", {"question of the bank": asked}
        if gold is not None and hides_gold(parts):
            yield "gold", {"gold of the bank": gold.body()}

    def _anyway(
        self, part: Withheld, texts: Mapping[str, Sequence[_Text]], case_id: str, parts: Collection[Withheld]
    ) -> str:
        found = [text for name in _PUBLIC_ANYWAY[part] for text in texts.get(name, ())]
        question, gold = self._pack.questions.get(case_id), self._pack.golds.get(case_id)
        if part not in ("case", "context"):
            found += [] if question is None or hides_question(parts) else _texts(question.body(), "")
            found += [] if gold is None or hides_gold(parts) else _texts(gold.body(), "")
        return f"{self._public_text}\n{_joined(found)}"

    def _public_case(self, at: int, case_id: str, withheld: Mapping[str, Collection[Withheld]]) -> Iterator[_Text]:
        question, gold = self._pack.questions.get(case_id), self._pack.golds.get(case_id)
        yield from _texts(PublicCase.of(question, gold, withheld.get(case_id, ())).body(), f"/cases/{at}")


def _leaks(secrets: Sequence[_Secret], texts: Sequence[_Text], mend: str) -> Iterator[Leak]:
    """One leak for each part and place."""
    everything, seen = _joined(texts), set()
    for secret in secrets:
        if secret.folded not in everything:
            continue
        for text in texts:
            if secret.folded in text.folded and (secret.part, text.place) not in seen:
                seen.add((secret.part, text.place))
                yield Leak(part=secret.part, source=secret.source, place=text.place, mend=mend)


def _run_mend(section: str) -> str:
    return f"withhold `{section}` too" if section in WITHHELD else "reword it in the bank"


def _secrets(parts: Iterable[tuple[Withheld, Json]]) -> Iterator[_Secret]:
    seen: set[str] = set()
    for part, value in parts:
        for place, text in _strings(value, ""):
            if len(text) < LEAST_WIDTH // 2:
                continue
            for piece in (text, *_END_OF_SENTENCE.split(text)):
                folded = fold(piece)
                if folded not in seen and _tells(folded):
                    seen.add(folded)
                    yield _Secret(part=part, source=_source(place), folded=folded)


def _source(place: str) -> str:
    # the first name is a section's field, or the bank's entry
    first, slash, rest = place.removeprefix("/").partition("/")
    return first + shown_place(slash + rest)


def _tells(folded: str) -> bool:
    if len(folded) < LEAST_WIDTH // 2 or _TOKEN.fullmatch(folded) or _TIME.fullmatch(folded):
        return False
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in folded) >= LEAST_WIDTH


def _texts(value: Json, place: str) -> Iterator[_Text]:
    return (_Text(place=where, folded=fold(text)) for where, text in _strings(value, place))


def _joined(texts: Iterable[_Text]) -> str:
    """All texts in one, in which no text that was folded goes over a line."""
    return "\n".join(text.folded for text in texts)


def _strings(value: Json, place: str) -> Iterator[tuple[str, str]]:
    """Every string of a value and of the JSON that stands in one, keys too, with its place; text kept as base64 as it
    was."""
    if isinstance(value, str):
        yield place, value
        for _, inner in _strings(_inside(value), place):
            yield place, inner
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from _strings(item, f"{place}/{at}")
    elif isinstance(value, dict):
        if value.keys() == {"encoding", "data"} and value["encoding"] == "base64" and isinstance(value["data"], str):
            yield f"{place}/data", _decoded(value["data"])
        for key, item in value.items():
            yield place, key
            yield from _strings(item, f"{place}/{key}")


def _decoded(data: str) -> str:
    """What base64 holds, as loosely as anybody writes it: a tool's reply may look like kept text; else nothing."""
    try:
        return held(b64decode(data))
    except ValueError:
        return ""


def _inside(text: str) -> Json:
    """The value of a string that holds a JSON object, list or string; null of any other."""
    if not text.lstrip().startswith(("{", "[", '"')):
        return None
    try:
        return read_strict(text.encode("utf-8", "surrogatepass"), allow_floats=True)
    except CanonicalError:
        return None
