"""Decisions in the making: what must be whole first, then the rest by a strategy, within the room that is left."""

from __future__ import annotations

from collections.abc import Sequence

from dataset.context.bundle import bundles
from dataset.context.framing import framed, instruction_tokens, note_tokens
from dataset.context.interface import ContextBudgetError, Decision, kept, omitted
from dataset.context.item import ContextItem


class Draft:
    """The decisions on `items`, at first on those that must be whole; `room` are the tokens that are left.

    ContextBudgetError where what must be whole doesn't fit, ContextItemError for items that contradict each other.
    """

    def __init__(self, items: Sequence[ContextItem], *, budget: int) -> None:
        self.items = items
        self.bundles = bundles(items)
        self._decisions: list[Decision | None] = [None] * len(items)
        for n, bundle in enumerate(self.bundles):
            if bundle.whole_for is not None:
                for position in bundle.members:
                    self._decisions[position] = kept(items[position], self._why_whole(n, position))
        self._taken = instruction_tokens(items)
        whole = [n for n, bundle in enumerate(self.bundles) if bundle.whole_for is not None]
        self._taken += sum(map(self.whole_tokens, whole))
        self._budget = budget
        self._demand(0, "")

    @property
    def room(self) -> int:
        """The tokens that nothing has taken yet."""
        return self._budget - self._taken

    @property
    def undecided(self) -> list[int]:
        """The bundles without a decision, in their order."""
        return [n for n, bundle in enumerate(self.bundles) if self._decisions[bundle.members[0]] is None]

    def members(self, n: int) -> list[ContextItem]:
        """The items of a bundle."""
        return [self.items[position] for position in self.bundles[n].members]

    def priority(self, n: int) -> int:
        """The highest priority of a bundle's items."""
        return max(item.priority for item in self.members(n))

    def whole_tokens(self, n: int) -> int:
        """What the items of a bundle take whole, each as a message of its own; instructions are counted elsewhere."""
        return sum(framed(item, item.text).tokens for item in self.members(n) if not item.instructs)

    def reserve_note(self) -> None:
        """Takes the room of the note of what is left out; ContextBudgetError where there is none."""
        note = note_tokens([item for n in self.undecided for item in self.members(n)])
        self._demand(note, f", with {note} for the note of what is left out,")
        self._taken += note

    def take(self, tokens: int) -> None:
        """Takes room for what isn't a bundle given whole."""
        self._taken += tokens

    def keep(self, n: int, reason: str, *, tokens: int) -> None:
        """Gives a bundle whole, which takes `tokens`."""
        self._taken += tokens
        self.decide(n, [kept(item, reason) for item in self.members(n)])

    def omit(self, n: int, reason: str) -> None:
        """Leaves a bundle out."""
        self.decide(n, [omitted(item, reason) for item in self.members(n)])

    def decide(self, n: int, decisions: Sequence[Decision]) -> None:
        """Sets the decisions on a bundle's items."""
        for position, decision in zip(self.bundles[n].members, decisions, strict=True):
            self._decisions[position] = decision

    def overtaken(self, n: int) -> str:
        """What overtakes a bundle, for a reason."""
        return f"overtaken by {self.items[self.bundles[self.bundles[n].corrections[0]].members[-1]].id}"

    def decisions(self) -> tuple[Decision, ...]:
        """All decisions in the items' order."""
        return tuple(decision for decision in self._decisions if decision is not None)

    def _why_whole(self, n: int, position: int) -> str:
        item, asking = self.items[position], self.bundles[n].whole_for
        if item.instructs:
            return "an instruction: always whole"
        if item.required or asking is None:
            return "required: always whole"
        return f"whole because {self.items[asking].id} is"

    def _demand(self, more: int, named: str) -> None:
        if self._taken + more > self._budget:
            count = sum(len(bundle.members) for bundle in self.bundles if bundle.whole_for is not None)
            needed = self._taken + more
            message = f"{count} items must be whole: that{named} takes {needed} tokens and the budget is {self._budget}"
            raise ContextBudgetError(message)
