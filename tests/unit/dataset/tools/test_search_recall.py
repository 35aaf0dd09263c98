"""How much of what people look for is found, on 500 tools and over a hundred queries in two languages."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import yaml

from dataset.record import LOCALES, Locale
from dataset.tools.tool_search import MOST_FOUND, search_tools
from tests.factories.big_catalogue import big_catalogue

ROOT = Path(__file__).parents[4]
QUERIES: dict[Locale, list[dict[str, Any]]] = yaml.safe_load(
    (ROOT / "tests/data/tool_search/queries.yaml").read_text(encoding="utf-8")
)
LEAST = 0.9


def is_held_out(query: str) -> bool:
    """One in five, which nobody looked at while the ranking was tuned."""
    return int(sha256(query.encode()).hexdigest(), 16) % 5 == 0


def recalls(locale: Locale, *, held_out: bool) -> list[float]:
    """The share of the wanted tools among the first five, for each query."""
    found = []
    for row in QUERIES[locale]:
        if is_held_out(row["query"]) == held_out:
            reply = search_tools(big_catalogue(), "logged_in_assessed", row["query"], locale)
            names = {tool.name for tool in reply.tools}
            found.append(len(names & set(row["tools"])) / len(row["tools"]))
    return found


def mean(numbers: list[float]) -> float:
    return sum(numbers) / len(numbers)


def measured(locale: Locale) -> str:
    """A row of the page: language, queries, and recall over all, tuned and held out."""
    tuned, held_out = recalls(locale, held_out=False), recalls(locale, held_out=True)
    whole = mean(tuned + held_out)
    language = {"en": "English", "zh": "Chinese"}[locale]
    return (
        f"| {language} | {len(tuned + held_out)} | {whole:.3f} | {mean(tuned):.3f} ({len(tuned)}) | "
        f"{mean(held_out):.3f} ({len(held_out)}) |"
    )


@pytest.mark.parametrize("locale", LOCALES)
def test_nine_of_ten_wanted_tools_are_among_the_first_five(locale: Locale) -> None:
    tuned, held_out = recalls(locale, held_out=False), recalls(locale, held_out=True)
    assert len(tuned) + len(held_out) >= 60
    assert len(held_out) >= 12
    assert mean(tuned + held_out) >= LEAST
    assert mean(tuned) >= LEAST
    assert mean(held_out) >= LEAST
    assert MOST_FOUND == 5


@pytest.mark.parametrize("locale", LOCALES)
def test_the_page_prints_what_is_measured(locale: Locale) -> None:
    page = (ROOT / "docs/reference/tool-search.md").read_text(encoding="utf-8")
    assert measured(locale) in page


def test_every_query_wants_tools_that_the_catalogue_has_and_the_login_state_may_call() -> None:
    catalogue = big_catalogue()
    assert len(catalogue.tools) == 500
    for rows in QUERIES.values():
        assert len({row["query"] for row in rows}) == len(rows)
        for row in rows:
            assert all(catalogue.permits(catalogue.tools[name], "logged_in_assessed") for name in row["tools"])
