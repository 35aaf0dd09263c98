"""Bundles: the items that reach a model together or not at all, and which of them wait for another one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dataset.context.item import ContextItem
from dataset.context.item_check import check_items
from dataset.questions.session_check import corrections, exchanges


@dataclass(frozen=True, kw_only=True, slots=True)
class Bundle:
    """A tool call with its results, or one item of any other kind; numbers are positions.

    `members` are items. `corrections` are bundles that overtake a member of this one: without all of them whole, this
    one never reaches a model. `whole_for` is the item because of which all of it is whole, itself or another; None
    where no item asks for that.
    """

    members: tuple[int, ...]
    corrections: tuple[int, ...]
    whole_for: int | None


def bundles(items: Sequence[ContextItem]) -> tuple[Bundle, ...]:
    """The bundles by their first items; ContextItemError where the items contradict each other."""
    check_items(items)
    members: dict[int, list[int]] = {}
    starts = exchanges(items)
    for position, start in enumerate(starts):
        members.setdefault(start, []).append(position)
    number = {start: n for n, start in enumerate(members)}
    above: list[dict[int, None]] = [{} for _ in members]
    for old, new in corrections(items):
        above[number[starts[old]]][number[starts[new]]] = None
    groups = list(members.values())
    because = _whole_for(items, groups, above)
    return tuple(
        Bundle(members=tuple(group), corrections=tuple(above[n]), whole_for=because.get(n))
        for n, group in enumerate(groups)
    )


def _whole_for(
    items: Sequence[ContextItem], groups: Sequence[Sequence[int]], above: Sequence[dict[int, None]]
) -> dict[int, int]:
    """What must be whole takes its bundle with it, and whatever overtakes that."""
    because: dict[int, int] = {}
    for n, group in enumerate(groups):
        asking = [position for position in group if items[position].whole]
        if asking:
            because[n] = asking[0]
    reached = list(because)
    while reached:
        n = reached.pop()
        for correction in above[n]:
            if correction not in because:
                because[correction] = because[n]
                reached.append(correction)
    return because


class Waiting:
    """Which bundles wait for their corrections to be given whole. Those that are whole anyway count as given."""

    def __init__(self, all_bundles: Sequence[Bundle]) -> None:
        self._missing = [len(bundle.corrections) for bundle in all_bundles]
        self._below: list[list[int]] = [[] for _ in all_bundles]
        for n, bundle in enumerate(all_bundles):
            for correction in bundle.corrections:
                self._below[correction].append(n)
        for n, bundle in enumerate(all_bundles):
            if bundle.whole_for is not None:
                self.give(n)

    def waits(self, n: int) -> bool:
        """Whether a correction of bundle `n` hasn't been given."""
        return self._missing[n] > 0

    def give(self, n: int) -> list[int]:
        """Takes bundle `n` as given whole, and returns those that waited for it alone."""
        for overtaken in self._below[n]:
            self._missing[overtaken] -= 1
        return [overtaken for overtaken in self._below[n] if not self._missing[overtaken]]
