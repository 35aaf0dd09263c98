"""Tools ranked by how well they fit a query: BM25 over name, descriptions in both languages and argument names."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from dataset.record import LOCALES
from dataset.tools.search_terms import terms
from dataset.tools.tool import Tool

NAME_WEIGHT = 2
"""How often a term of the name counts: names are short, and say more than the sentence behind them."""
SATURATION, LENGTH_PART = 1.2, 0.75
"""BM25's k1 and b at their usual values (Robertson and Zaragoza, 2009, section 3.2)."""
DIGITS = 6
"""Digits of a score that count, far fewer than any platform gets right: so the order is the same on all of them."""


class ToolRanking:
    """An index over some tools. Nothing of a tool that isn't among them has a part in any score."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        self._tools = tuple(sorted(tools, key=lambda tool: tool.name))

    def best(self, query: str, most: int) -> tuple[Tool, ...]:
        """The tools that have a term of the query, best first and by name where they are equally good, at most `most`.

        Each term of a query counts once, however often it is written.
        """
        wanted = sorted(set(terms(query)) & self._known)
        if not wanted:
            return ()
        scores = self._index.get_scores(wanted)
        ranked = sorted(
            (-round(float(score), DIGITS), tool.name, tool) for score, tool in zip(scores, self._tools, strict=True)
        )
        return tuple(tool for score, _, tool in ranked[:most] if score < 0)

    @cached_property
    def _documents(self) -> list[list[str]]:
        return [_document(tool) for tool in self._tools]

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(term for document in self._documents for term in document)

    @cached_property
    def _index(self) -> Any:
        from bm25s import BM25  # brings numpy, which only a search needs

        index = BM25(method="lucene", k1=SATURATION, b=LENGTH_PART, dtype="float64", backend="numpy")
        index.index(self._documents, show_progress=False)
        return index


def _document(tool: Tool) -> list[str]:
    """What is known of a tool, as terms."""
    arguments = tool.parameters.get("properties", {})
    found = terms(tool.name) * NAME_WEIGHT
    for text in (*(tool.description.to(locale) for locale in LOCALES), *arguments):
        found += terms(text)
    return found
