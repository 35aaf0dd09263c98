"""Whether the entries of a session fit each other: the one list of rules, for packs and for context items alike."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, get_args

from dataset.questions.session import ItemCategory

SessionFaultCode = Literal[
    "CONTEXT-ITEM-001",
    "CONTEXT-ITEM-002",
    "CONTEXT-ITEM-003",
    "CONTEXT-ITEM-004",
    "CONTEXT-ITEM-005",
    "CONTEXT-ITEM-006",
]
"""In this order: id used twice, unknown category, unknown item named, wrong category named, later item named, cycle."""


class SessionEntry(Protocol):
    """What the rules look at: a `SessionItem` as well as a `ContextItem`."""

    @property
    def id(self) -> str:
        """Its name in the session."""
        ...

    @property
    def category(self) -> str:
        """What it is."""
        ...

    @property
    def answers(self) -> str | None:
        """The call that a tool result came from."""
        ...

    @property
    def corrects(self) -> str | None:
        """The earlier entry that it overtakes."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class SessionFault:
    """What is wrong with the entry at `position`, and which of its fields says so."""

    code: SessionFaultCode
    position: int
    field: Literal["id", "category", "answers", "corrects"]
    message: str


def session_faults(entries: Sequence[SessionEntry], *, taken: Collection[str] = ()) -> Iterator[SessionFault]:
    """Every fault, rule by rule, a cycle before what names a later item: it is the reason of that. `taken` are ids that
    the run itself uses."""
    yield from _names(entries, taken)
    positions = _positions(entries)
    for position, entry in enumerate(entries):
        if entry.category not in get_args(ItemCategory):
            message = f"{entry.id!r} has the unknown category {entry.category!r}"
            yield SessionFault(code="CONTEXT-ITEM-002", position=position, field="category", message=message)
    for position, entry in enumerate(entries):
        yield from _references(positions, position, entry)
    for position, entry in enumerate(entries):
        yield from _categories(entries, positions, position, entry)
    yield from _cycle(entries)
    for position, entry in enumerate(entries):
        yield from _order(positions, position, entry)


def exchanges(entries: Sequence[SessionEntry]) -> list[int]:
    """For each entry the position of the entry that its exchange starts with: a result's call, else its own.

    A call and its results are one exchange; every other entry is one of its own.
    """
    positions = _positions(entries)
    starts = list(range(len(entries)))
    for position, entry in enumerate(entries):
        call = positions.get(entry.answers) if entry.answers is not None else None
        if call is not None and entries[call].category == "tool_call" and entry.category == "tool_result":
            starts[position] = call
    return starts


def corrections(entries: Sequence[SessionEntry]) -> Iterator[tuple[int, int]]:
    """Pairs of positions: what is overtaken, and what overtakes it."""
    positions = _positions(entries)
    for position, entry in enumerate(entries):
        if entry.corrects in positions:
            yield positions[entry.corrects], position


def _positions(entries: Sequence[SessionEntry]) -> dict[str | None, int]:
    """The position of the first entry of each id."""
    return {entry.id: position for position, entry in reversed(list(enumerate(entries)))}


def _names(entries: Sequence[SessionEntry], taken: Collection[str]) -> Iterator[SessionFault]:
    seen: set[str] = set()
    for position, entry in enumerate(entries):
        if entry.id in seen or entry.id in taken:
            why = "is the run's own" if entry.id in taken else "is used twice"
            message = f"the id {entry.id!r} {why}"
            yield SessionFault(code="CONTEXT-ITEM-001", position=position, field="id", message=message)
        seen.add(entry.id)


def _named(entry: SessionEntry) -> Iterator[tuple[Literal["answers", "corrects"], str]]:
    if entry.answers is not None:
        yield "answers", entry.answers
    if entry.corrects is not None:
        yield "corrects", entry.corrects


def _references(positions: Mapping[str | None, int], position: int, entry: SessionEntry) -> Iterator[SessionFault]:
    for field, name in _named(entry):
        if name not in positions:
            message = f"{entry.id!r} {field} {name!r}, which the session doesn't hold"
            yield SessionFault(code="CONTEXT-ITEM-003", position=position, field=field, message=message)


def _categories(
    entries: Sequence[SessionEntry], positions: Mapping[str | None, int], position: int, entry: SessionEntry
) -> Iterator[SessionFault]:
    for field, name in _named(entry):
        named = entries[positions[name]].category if name in positions else None
        if field == "answers" and entry.category != "tool_result":
            message = f"{entry.id!r} is a {entry.category} and answers {name!r}: only a tool_result answers"
        elif field == "answers" and named not in (None, "tool_call"):
            message = f"{entry.id!r} answers {name!r}, which is a {named} and no tool_call"
        elif field == "corrects" and named in ("system", "question"):
            message = f"{entry.id!r} corrects {name!r}: a {named} can't be overtaken"
        else:
            continue
        yield SessionFault(code="CONTEXT-ITEM-004", position=position, field=field, message=message)


def _cycle(entries: Sequence[SessionEntry]) -> Iterator[SessionFault]:
    """The first cycle: exchanges that overtake each other, or one that overtakes itself."""
    starts = exchanges(entries)
    overtaking = [(starts[new], starts[old], new) for old, new in corrections(entries)]
    pending = dict.fromkeys(starts, 0)
    below: dict[int, list[int]] = {}
    for start, overtaken, _ in overtaking:
        pending[overtaken] += 1
        below.setdefault(start, []).append(overtaken)
    free = [start for start, count in pending.items() if not count]
    while free:
        start = free.pop()
        del pending[start]
        for overtaken in below.get(start, ()):
            pending[overtaken] -= 1
            if not pending[overtaken]:
                free.append(overtaken)
    if not pending:
        return
    ring = _ring({overtaken: (start, new) for start, overtaken, new in overtaking if start in pending})
    position = min(ring)
    named = ", ".join(repr(entries[new].id) for new in sorted(ring))
    message = f"cyclic references: what {named} overtakes leads back to it"
    yield SessionFault(code="CONTEXT-ITEM-006", position=position, field="corrects", message=message)


def _ring(above: Mapping[int, tuple[int, int]]) -> list[int]:
    """The positions of the corrections along a cycle, found by walking from what is overtaken to what overtakes it."""
    walked: dict[int, int] = {}
    at = min(above)
    while at not in walked:
        walked[at] = len(walked)
        at = above[at][0]
    return [above[start][1] for start, step in walked.items() if step >= walked[at]]


def _order(positions: Mapping[str | None, int], position: int, entry: SessionEntry) -> Iterator[SessionFault]:
    for field, name in _named(entry):
        if positions.get(name, position) > position:
            message = f"{entry.id!r} {field} {name!r}, which comes later"
            yield SessionFault(code="CONTEXT-ITEM-005", position=position, field=field, message=message)
