"""`recent-n`: the longest run of last entries that fits; the rest is listed, pairs and corrections stay together."""

from __future__ import annotations

import pytest

from dataset.context.framing import laid_out_tokens
from dataset.context.interface import ContextBudgetError, Decision
from dataset.context.item import ContextItem
from dataset.context.recent_n import RecentN
from tests.factories.context_items import item, question, system


def decided(*entries: ContextItem, window: int, budget: int = 10_000) -> dict[str, Decision]:
    items = (system(), *entries, question())
    decisions = RecentN(window=window).decide(items, budget=budget)
    assert [d.item for d in decisions] == list(items)
    assert laid_out_tokens(decisions) <= budget
    return {d.item.id: d for d in decisions}


def kinds(decisions: dict[str, Decision]) -> dict[str, str]:
    return {name: d.kind for name, d in decisions.items() if name not in ("system-prompt", "question")}


def test_entries_outside_the_window_are_omitted_and_say_so() -> None:
    found = decided(item("a"), item("b"), item("c"), window=2)
    assert kinds(found) == {"a": "omitted", "b": "kept", "c": "kept"}
    assert found["a"].reason == "outside the last 2 entries"
    assert found["c"].reason == "among the last 2 entries"


def test_a_window_over_the_whole_session_needs_no_note() -> None:
    found = decided(item("a"), item("b"), window=2)
    exactly = laid_out_tokens(tuple(found.values()))
    assert set(kinds(decided(item("a"), item("b"), window=2, budget=exactly)).values()) == {"kept"}


def test_required_items_and_instructions_outside_the_window_are_whole() -> None:
    found = decided(item("must", required=True), item("rule", category="policy"), item("b"), item("c"), window=1)
    assert kinds(found) == {"must": "kept", "rule": "kept", "b": "omitted", "c": "kept"}
    assert found["must"].reason == "required: always whole"
    assert found["rule"].reason == "an instruction: always whole"


def test_a_window_over_the_budget_is_the_longest_run_that_fits() -> None:
    found = decided(item("a"), item("b"), item("c", "word " * 100), item("d"), window=3, budget=100)
    assert kinds(found) == {"a": "omitted", "b": "omitted", "c": "omitted", "d": "kept"}
    assert found["b"].reason == "outside the last entry: no more of the last 3 entries fit the budget"


def test_a_result_whose_call_is_outside_the_window_is_left_out_with_it() -> None:
    call, result = item("call", category="tool_call"), item("result", category="tool_result", answers="call")
    found = decided(call, item("b"), result, item("d"), window=3)
    assert kinds(found) == {"call": "omitted", "b": "kept", "result": "omitted", "d": "kept"}
    assert found["result"].reason == "its call is outside the last 3 entries"
    assert set(kinds(decided(call, item("b"), result, item("d"), window=4)).values()) == {"kept"}


def test_an_overtaken_entry_is_left_out_with_a_correction_that_lost_its_call() -> None:
    call, old = item("call", category="tool_call"), item("old")
    new = item("new", category="tool_result", answers="call", corrects="old")
    found = decided(call, old, new, item("d"), window=3)
    assert kinds(found) == {"call": "omitted", "old": "omitted", "new": "omitted", "d": "kept"}
    assert found["old"].reason == "overtaken by new, which is left out"


def test_what_overtakes_a_required_entry_is_whole_with_it() -> None:
    found = decided(item("old", required=True), item("new", corrects="old"), item("c"), window=1)
    assert kinds(found) == {"old": "kept", "new": "kept", "c": "kept"}
    assert found["new"].reason == "whole because old is"


def test_a_budget_under_what_must_be_whole_is_refused_with_its_numbers() -> None:
    with pytest.raises(ContextBudgetError, match=r"3 items must be whole: that takes \d+ tokens and the budget is 40"):
        decided(item("must", "word " * 30, required=True), window=5, budget=40)
