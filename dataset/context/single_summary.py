"""Strategy `single-summary`: whatever needn't be whole becomes one summary, of which every entry gets its share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dataset.context.compression import Shortened, head_and_tail, least_tokens, one_line
from dataset.context.draft import Draft
from dataset.context.exact_ratio import exact_ratio
from dataset.context.framing import line_tokens, list_tokens
from dataset.context.interface import Decision, compressed
from dataset.context.item import ContextItem
from dataset.context.token_counter import count_tokens

SUMMARY_PART = 2
"""A summary takes at most one part in so many of the tokens it stands for, so that it is one where all would fit."""
SHORTEST_SUMMARY = 256
"""A summary may take that many tokens however little it stands for."""


@dataclass(kw_only=True, slots=True)
class _Line:
    """One entry of the summary: its text on one line, the tokens that this takes, and those it has as its share."""

    item: ContextItem
    text: str
    full: int
    share: int

    def cost(self, text: str) -> int:
        return line_tokens(self.item, text)


class SingleSummary:
    """One list of shortened entries in place of everything that needn't be whole."""

    name = "single-summary"

    def decide(self, items: Sequence[ContextItem], *, budget: int) -> tuple[Decision, ...]:
        """Whole what must be, the rest compressed into the summary.

        Entries come in by priority, each with the least that says something of it; what is then left is shared by
        priority too, and nobody gets more than the entry's whole line. What was overtaken is left out.
        """
        draft = Draft(items, budget=budget)
        if not draft.undecided:
            return draft.decisions()
        rest = [item for n in draft.undecided for item in draft.members(n)]
        draft.reserve_note()
        room = max(sum(item.tokens for item in rest) // SUMMARY_PART, SHORTEST_SUMMARY)
        room = min(room, draft.room - list_tokens(rest))
        for n in draft.undecided:
            if draft.bundles[n].corrections:
                draft.omit(n, f"{draft.overtaken(n)}: the summary holds what overtakes")
        admitted, room = _admitted(draft, room)
        _share([line for lines in admitted.values() for line in lines], room)
        for n, lines in admitted.items():
            _write(draft, n, lines)
        return draft.decisions()


def _admitted(draft: Draft, room: int) -> tuple[dict[int, list[_Line]], int]:
    """The bundles that come in, by priority and of the same priority the later first, and the room that is left."""
    admitted: dict[int, list[_Line]] = {}
    for n in sorted(draft.undecided, key=lambda n: (-draft.priority(n), -draft.bundles[n].members[-1])):
        lines = [_line(item) for item in draft.members(n)]
        least = sum(line.share for line in lines)
        if least <= room:
            admitted[n], room = lines, room - least
        else:
            _omit_too_small(draft, n)
    return admitted, room


def _line(item: ContextItem) -> _Line:
    text = one_line(item.text)
    full = line_tokens(item, text)
    least = least_tokens(item.tokens, lambda shown: line_tokens(item, shown))
    return _Line(item=item, text=text, full=full, share=min(full, least))


def _share(lines: Sequence[_Line], room: int) -> None:
    """Shares the room by priority; what an entry can't use is shared among the others."""

    def weight(line: _Line) -> int:
        return max(line.item.priority, 1)

    wanting = [line for line in lines if line.full > line.share]
    total = sum(map(weight, wanting))
    for line in sorted(wanting, key=lambda line: exact_ratio(line.full - line.share, weight(line))):
        given = min(line.full - line.share, room * weight(line) // total)
        line.share += given
        room, total = room - given, total - weight(line)


def _write(draft: Draft, n: int, lines: Sequence[_Line]) -> None:
    written = [_shortened(line) for line in lines]
    if any(short is None for short in written):
        _omit_too_small(draft, n)
        return
    decisions = [
        compressed(line.item, short.text, _reason(short), merged=True)
        for line, short in zip(lines, written, strict=True)
        if short is not None
    ]
    draft.decide(n, decisions)


def _omit_too_small(draft: Draft, n: int) -> None:
    draft.omit(n, f"priority {draft.priority(n)}: its share of the summary is too small to say anything")


def _shortened(line: _Line) -> Shortened | None:
    if line.full <= line.share:
        return Shortened(text=line.text, tokens=count_tokens(line.text), left_out=0)
    return head_and_tail(line.text, limit=line.share, cost=line.cost)


def _reason(short: Shortened) -> str:
    if not short.left_out:
        return "in the summary: whole, on one line"
    return f"in the summary: head and tail kept, {short.left_out} of {short.tokens} tokens left out"
