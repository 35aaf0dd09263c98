"""What holds for every strategy, over random sessions and for bad input."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dataset.context.budgeted import Budgeted
from dataset.context.framing import data_messages, laid_out_tokens
from dataset.context.full import Full
from dataset.context.interface import ContextBudgetError, ContextStrategy, Decision
from dataset.context.item import ContextItem
from dataset.context.item_check import ContextItemError
from dataset.context.recent_n import RecentN
from dataset.context.single_summary import SingleSummary
from dataset.context.token_counter import count_tokens
from dataset.measures.fence import is_fenced
from tests.factories.context_items import item, question, sessions, system

STRATEGIES: tuple[ContextStrategy, ...] = (Full(), RecentN(window=5), SingleSummary(), Budgeted())
every_strategy = pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda s: s.name)


def decided(strategy: ContextStrategy, items: Sequence[ContextItem], budget: int) -> tuple[Decision, ...] | None:
    """The decisions, or None where the budget is too small."""
    try:
        return strategy.decide(items, budget=budget)
    except ContextBudgetError:
        return None


@every_strategy
@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(items=sessions(), budget=st.integers(0, 3_000))
def test_every_promise_holds_over_random_sessions(
    strategy: ContextStrategy, items: tuple[ContextItem, ...], budget: int
) -> None:
    decisions = decided(strategy, items, budget)
    assert decisions == decided(strategy, items, budget)
    if decisions is None:
        return
    assert [d.item for d in decisions] == list(items)
    assert laid_out_tokens(decisions) <= budget
    by_id = {d.item.id: d for d in decisions}
    for decision in decisions:
        assert decision.reason
        assert decision.working_tokens == count_tokens(decision.working_text or "")
        assert (decision.kind == "omitted") == (decision.working_text is None)
        if decision.item.whole or decision.kind == "kept":
            assert (decision.kind, decision.working_text) == ("kept", decision.item.text)
        if decision.item.answers is not None:
            assert _present(decision) == _present(by_id[decision.item.answers])
            assert (decision.kind == "omitted") == (by_id[decision.item.answers].kind == "omitted")
        if decision.item.corrects is not None and _present(by_id[decision.item.corrects]):
            assert decision.kind == "kept"


def _present(decision: Decision) -> bool:
    return decision.kind in ("kept", "compressed")


@every_strategy
@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(items=sessions(), budget=st.integers(200, 4_000))
def test_text_from_outside_stands_in_fences_and_nowhere_else(
    strategy: ContextStrategy, items: tuple[ContextItem, ...], budget: int
) -> None:
    marked = [_marked(n, entry) for n, entry in enumerate(items)]
    decisions = decided(strategy, marked, budget) or ()
    assert all(d.item.trust == "trusted" for d in decisions if d.item.instructs)
    for message in data_messages(decisions):
        if "OUTSIDE" in message.text:
            assert is_fenced(message.text)
            assert message.role == "user"
        if "INSIDE" in message.text:
            assert not is_fenced(message.text)


def _marked(n: int, entry: ContextItem) -> ContextItem:
    word = "OUTSIDE" if entry.trust == "untrusted" else "INSIDE"
    return item(
        entry.id,
        f"{word} {entry.text} {word}",
        category=entry.category,
        role=entry.role,
        trust=entry.trust,
        required=entry.required,
        priority=entry.priority,
        source=entry.source,
        answers=entry.answers,
        corrects=entry.corrects,
    )


@every_strategy
def test_budget_nought_is_refused_even_for_nothing(strategy: ContextStrategy) -> None:
    for items in ((), (system(), question())):
        with pytest.raises(ContextBudgetError, match="0"):
            strategy.decide(items, budget=0)


@every_strategy
def test_a_budget_smaller_than_the_required_items_names_both_numbers(strategy: ContextStrategy) -> None:
    items = (system(), item("must", "word " * 50, required=True), item("may"), question())
    with pytest.raises(ContextBudgetError, match=r"\d+ tokens and .* 60\b") as raised:
        strategy.decide(items, budget=60)
    assert raised.value.code == "CONTEXT-BUDGET-001"


@every_strategy
def test_an_empty_session_is_prompt_and_question(strategy: ContextStrategy) -> None:
    decisions = strategy.decide((system(), question()), budget=100)
    assert [d.kind for d in decisions] == ["kept", "kept"]
    assert [m.text for m in data_messages(decisions)] == ["What is it now?"]
    assert strategy.decide((), budget=8) == ()


@pytest.mark.parametrize(
    ("strategy", "text"),
    [
        *(pytest.param(strategy, "word " * 1_000_000, marks=pytest.mark.slow) for strategy in STRATEGIES),
        pytest.param(Budgeted(), "费" * 1_700_000, marks=pytest.mark.slow),
        (SingleSummary(), "e\u0301" * 1_000_000),
    ],
    ids=lambda value: value[:2] if isinstance(value, str) else value.name,
)
def test_an_item_of_five_megabytes_is_shortened_or_refused(strategy: ContextStrategy, text: str) -> None:
    items = (system(), item("huge", text, trust="untrusted"), question())
    decisions = decided(strategy, items, 3_000)
    if strategy.name == "full":
        assert decisions is None
    else:
        assert decisions is not None
        assert laid_out_tokens(decisions) <= 3_000
        assert decisions[1].kind == ("omitted" if strategy.name == "recent-n" else "compressed")


@cache
def many(shape: str, count: int) -> tuple[ContextItem, ...]:
    def entry(n: int) -> ContextItem:
        if shape == "calls, then results":
            is_call = n < count // 2
            answers = None if is_call else f"i-{n - count // 2}"
            return item(f"i-{n}", "x", category="tool_call" if is_call else "tool_result", answers=answers)
        return item(f"i-{n}", "x", corrects=f"i-{n - 1}" if n and shape == "chain of corrections" else None)

    return (system(), *map(entry, range(count)), question())


@every_strategy
@pytest.mark.parametrize(
    ("shape", "count"),
    [
        ("equal", 20_000),
        pytest.param("equal", 100_000, marks=pytest.mark.slow),
        ("chain of corrections", 5_000),
        ("calls, then results", 5_000),
    ],
)
def test_any_number_of_items_of_equal_priority_get_one_decision_each(
    strategy: ContextStrategy, shape: str, count: int
) -> None:
    """No wall-clock limit but the suite's own: what grew with the square would take hours."""
    items = many(shape, count)
    decisions = decided(strategy, items, 5_000)
    if strategy.name == "full":
        assert decisions is None
    else:
        assert decisions is not None
        assert len(decisions) == len(items)
        assert laid_out_tokens(decisions) <= 5_000


@pytest.mark.parametrize("strategy", [SingleSummary(), Budgeted()], ids=lambda s: s.name)
def test_of_items_with_equal_priority_the_later_comes_first(strategy: ContextStrategy) -> None:
    entries = [item(f"i-{n}", "word " * 60) for n in range(10, 30)]
    decisions = strategy.decide((system(), *entries, question()), budget=500)[1:-1]
    given = [d.kind in ("kept", "compressed") for d in decisions]
    assert any(given)
    assert given == sorted(given)


@every_strategy
@pytest.mark.parametrize(
    ("code", "entries"),
    [
        ("CONTEXT-ITEM-001", (item("a"), item("a"))),
        ("CONTEXT-ITEM-001", (item("question"),)),
        ("CONTEXT-ITEM-002", (item("a", category="rumour"),)),
        ("CONTEXT-ITEM-003", (item("a", category="tool_result", answers="gone"),)),
        ("CONTEXT-ITEM-003", (item("a", corrects="gone"),)),
        ("CONTEXT-ITEM-004", (item("a"), item("b", category="tool_result", answers="a"))),
        ("CONTEXT-ITEM-004", (item("a", category="tool_call"), item("b", answers="a"))),
        ("CONTEXT-ITEM-004", (item("a", corrects="system-prompt"),)),
        ("CONTEXT-ITEM-005", (item("a", corrects="b"), item("b"))),
        ("CONTEXT-ITEM-005", (item("r", category="tool_result", answers="c"), item("c", category="tool_call"))),
        ("CONTEXT-ITEM-006", (item("a", corrects="a"),)),
        ("CONTEXT-ITEM-006", (item("a", corrects="c"), item("b", corrects="a"), item("c", corrects="b"))),
        (
            "CONTEXT-ITEM-006",
            (
                item("c-1", category="tool_call"),
                item("c-2", category="tool_call"),
                item("r-2", category="tool_result", answers="c-2", corrects="c-1"),
                item("r-1", category="tool_result", answers="c-1", corrects="c-2"),
            ),
        ),
    ],
)
def test_items_that_contradict_each_other_are_a_named_error(
    strategy: ContextStrategy, code: str, entries: tuple[ContextItem, ...]
) -> None:
    with pytest.raises(ContextItemError) as raised:
        strategy.decide((system(), *entries, question()), budget=5_000)
    assert raised.value.code == code
