"""Strategy `recent-n`: the last session entries, as many of them as fit; the others are listed as left out."""

from __future__ import annotations

from collections.abc import Sequence

from dataset.context.bundle import Waiting
from dataset.context.draft import Draft
from dataset.context.interface import Decision, omitted
from dataset.context.item import ContextItem


class RecentN:
    """Looks back on the last `window` session entries; what must be whole is so wherever it stands."""

    name = "recent-n"

    def __init__(self, *, window: int) -> None:
        self._window = window

    def decide(self, items: Sequence[ContextItem], *, budget: int) -> tuple[Decision, ...]:
        """The longest run of entries up to the last one that is within the window and fits.

        An entry of that run is left out all the same where its call, or what overtakes it, is.
        """
        draft = Draft(items, budget=budget)
        entries = [position for position, item in enumerate(items) if item.category not in ("system", "question")]
        window = entries[max(0, len(entries) - self._window) :]
        given, reached = _walk(draft, window, draft.room)
        if len(given) < len(draft.undecided):
            draft.reserve_note()
            given, reached = _walk(draft, window, draft.room)
        for n, tokens in given.items():
            draft.keep(n, f"among {_last(self._window)}", tokens=tokens)
        _leave_out(draft, window, reached, self._window)
        return draft.decisions()


def _walk(draft: Draft, window: Sequence[int], room: int) -> tuple[dict[int, int], int]:
    """The bundles that are given, with their tokens, and how many entries of the window fit, from its end."""
    number = {bundle.members[0]: n for n, bundle in enumerate(draft.bundles)}
    waiting, given = Waiting(draft.bundles), dict[int, int]()
    undecided = set(draft.undecided)
    seen: set[int] = set()
    for reached, position in enumerate(reversed(window)):
        # A bundle is reached with its first item: a result whose call is further back isn't given.
        n = number.get(position, -1)
        if n not in undecided:
            continue
        seen.add(n)
        new, open_ = {}, [] if waiting.waits(n) else [n]
        while open_:
            n = open_.pop()
            new[n] = draft.whole_tokens(n)
            open_.extend(below for below in waiting.give(n) if below in seen)
        room -= sum(new.values())
        if room < 0:
            return given, reached
        given.update(new)
    return given, len(window)


def _leave_out(draft: Draft, window: Sequence[int], reached: int, size: int) -> None:
    inside, fitting = set(window), set(window[len(window) - reached :])

    def why(n: int, position: int) -> str:
        call = draft.bundles[n].members[0]
        if position not in inside:
            return f"outside {_last(size)}"
        if position not in fitting:
            return f"outside {_last(reached)}: no more of {_last(size)} fit the budget"
        if call not in fitting:
            return f"its call is outside {_last(size if call not in inside else reached)}"
        return f"{draft.overtaken(n)}, which is left out"

    for n in draft.undecided:
        positions = draft.bundles[n].members
        draft.decide(n, [omitted(draft.items[position], why(n, position)) for position in positions])


def _last(count: int) -> str:
    return "the last entry" if count == 1 else f"the last {count} entries"
