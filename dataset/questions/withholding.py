"""What a bank may keep from the public of a case's runs: the parts it names, and those that would give them away."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Literal, get_args

Withheld = Literal[
    "case",
    "context",
    "visible_tools",
    "steps",
    "guardrail_checks",
    "result",
    "judgment",
    "output_checks",
    "gold",
]
"""A section of the run artifact, or the gold. `provenance` is always public: it says what a run was made from."""
WITHHELD: tuple[Withheld, ...] = get_args(Withheld)

_GIVEN_AWAY_BY: Mapping[Withheld, tuple[Withheld, ...]] = {
    "gold": ("output_checks", "judgment"),  # assertions quote it, and the reasons of a verdict name its facts
    "output_checks": ("gold",),  # whoever has the gold and the steps makes them again
    "case": ("context", "gold"),  # the question is an item of the context, and a gold tells what was asked
    "context": ("guardrail_checks",),  # groundings quote the entries that a number was found in
    "steps": ("result", "guardrail_checks"),  # the last reply is the answer, and groundings quote tool replies
    "result": ("steps",),
}
QUESTION_PARTS: frozenset[Withheld] = frozenset(("case", "context"))
"""Parts that are made of the question and its session: where one is withheld, so is the bank's question."""


def closed(parts: Collection[Withheld]) -> tuple[Withheld, ...]:
    """`parts` with every part that would give one of them away, in the order of `WITHHELD`."""
    found: set[Withheld] = set()
    waiting = list(parts)
    while waiting:
        part = waiting.pop()
        if part not in found:
            found.add(part)
            waiting += _GIVEN_AWAY_BY.get(part, ())
    return in_order(found)


def in_order(parts: Collection[Withheld]) -> tuple[Withheld, ...]:
    """`parts`, each once, in the order of `WITHHELD`: how every list of them is written."""
    return tuple(part for part in WITHHELD if part in parts)


def hides_question(parts: Collection[Withheld]) -> bool:
    """Whether the bank's question (its text and session) is withheld with these parts."""
    return not QUESTION_PARTS.isdisjoint(parts)


def hides_gold(parts: Collection[Withheld]) -> bool:
    """Whether the gold is withheld with these parts."""
    return "gold" in parts
