"""Strategy `budgeted`: by weight for each token it takes, an item is whole, else shortened, else named, else out."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from dataset.context.bundle import Waiting
from dataset.context.compression import LEAST_TEXT, compacted, head_and_tail, least_tokens
from dataset.context.draft import Draft
from dataset.context.exact_ratio import exact_ratio
from dataset.context.framing import framed, list_tokens, reference_text, reference_tokens
from dataset.context.interface import Decision, compressed, kept, referenced
from dataset.context.item import ContextItem
from dataset.context.token_counter import count_tokens

REFERENCE_PART = 6
"""One part in so many of what must-be-whole items leave is kept for the lines that name what doesn't fit."""
SHORTENED_PART = 2
"""A text that is cut takes at most one part in so many of the room that is left: others shall find some too."""


def weight(priority: int) -> int:
    """What a priority of 0 to 100 weighs: its square.

    A key note of priority 90 is worth 36 small remarks of priority 15, not six: otherwise a budget would fill with
    remarks, of which each is cheap.
    """
    return priority * priority


class Budgeted:
    """Spends the budget where a token carries most priority."""

    name = "budgeted"

    def decide(self, items: Sequence[ContextItem], *, budget: int) -> tuple[Decision, ...]:
        """Whole what must be, then by weight for each token as a message; of equals the later one first.

        What overtakes is decided before what it overtakes, which is left out unless the former is whole.
        """
        draft = Draft(items, budget=budget)
        costs = {n: draft.whole_tokens(n) for n in draft.undecided}
        if sum(costs.values()) <= draft.room:
            for n, tokens in costs.items():
                draft.keep(n, _fits(draft, n, tokens), tokens=tokens)
            return draft.decisions()
        draft.reserve_note()
        references = draft.room // REFERENCE_PART
        left = _spend(draft, costs, draft.room - references)
        _refer(draft, left, costs)
        for n in draft.undecided:
            draft.omit(n, f"{draft.overtaken(n)}, which isn't whole here")
        return draft.decisions()


def _spend(draft: Draft, costs: dict[int, int], room: int) -> list[int]:
    """Gives whole or shortened what fits; returns the bundles that don't fit, in the order of their turn."""
    waiting, left = Waiting(draft.bundles), list[int]()

    def turn(n: int) -> tuple[int, int, int]:
        return -exact_ratio(weight(draft.priority(n)), costs[n]), -draft.bundles[n].members[-1], n

    queue = [turn(n) for n in costs if not waiting.waits(n)]
    heapq.heapify(queue)
    while queue:
        n = heapq.heappop(queue)[-1]
        if costs[n] <= room:
            draft.keep(n, _fits(draft, n, costs[n]), tokens=costs[n])
            room -= costs[n]
            for below in waiting.give(n):
                heapq.heappush(queue, turn(below))
        elif taken := _shorten(draft, n, costs[n], room):
            draft.take(taken)
            room -= taken
        else:
            left.append(n)
    return left


def _shorten(draft: Draft, n: int, whole: int, room: int) -> int:
    """Gives a bundle with its longest item shortened (of a call and its results, a result); 0 where it doesn't fit.

    Returns the tokens it takes.
    """
    if room < LEAST_TEXT:
        return 0
    members = draft.members(n)
    item = max(members[1:] or members, key=lambda member: member.tokens)
    others = whole - framed(item, item.text).tokens

    def cost(text: str) -> int:
        return framed(item, text).tokens

    if room - others < least_tokens(item.tokens, cost):
        return 0
    text = compacted(item.text)
    tokens = count_tokens(text)
    if others + cost(text) <= room:
        reason = f"layout removed, {item.tokens} to {tokens} tokens"
    else:
        short = head_and_tail(text, limit=room // SHORTENED_PART - others, cost=cost, tokens=tokens)
        if short is None:
            return 0
        text, reason = short.text, f"head and tail kept, {short.left_out} of {short.tokens} tokens left out"
    reason = f"priority {draft.priority(n)}, {whole} tokens: doesn't fit whole; {reason}"
    company = f"priority {draft.priority(n)}: whole beside {item.id}, which is shortened"
    draft.decide(n, [compressed(item, text, reason) if member is item else kept(member, company) for member in members])
    return others + cost(text)


def _refer(draft: Draft, left: Sequence[int], costs: dict[int, int]) -> None:
    """Names what doesn't fit as long as there is room for its line."""
    room = draft.room - list_tokens([item for n in left for item in draft.members(n)])
    for n in left:
        members = draft.members(n)
        tokens = sum(map(reference_tokens, members))
        told = f"priority {draft.priority(n)}, {costs[n]} tokens: doesn't fit"
        if tokens <= room:
            room -= tokens
            named = [referenced(item, reference_text(item), f"{told}; its source is named") for item in members]
            draft.decide(n, named)
        else:
            draft.omit(n, f"{told}, nor does a line that names its source")


def _fits(draft: Draft, n: int, tokens: int) -> str:
    return f"priority {draft.priority(n)}, {tokens} tokens: fits whole"
