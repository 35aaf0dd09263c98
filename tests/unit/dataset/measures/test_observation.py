"""Every measure, from the recorded evidence alone."""

from __future__ import annotations

from typing import Any

import pytest

from dataset.artifacts.outside_text import Base64Text
from dataset.measures.fence import fenced
from dataset.measures.observation import MEASURE_NAMES, observe
from tests.factories.judged import call, evidence, item, rewrite


def tool_calls(tool: str, outcome: str = "executed", **arguments: list[Any]) -> dict[str, Any]:
    return {"measure": "tool_calls", "tool": tool, "arguments": arguments, "outcome": outcome}


def order(*calls: tuple[str, dict[str, list[Any]]]) -> dict[str, Any]:
    return {"measure": "call_order", "calls": [{"tool": tool, "arguments": given} for tool, given in calls]}


def number(value: str, source: str) -> dict[str, Any]:
    return {"measure": "answer_number", "value": value, "source": source}


@pytest.mark.parametrize(("outcome", "seen"), [("executed", "2"), ("refused", "1"), ("attempted", "3")])
def test_calls_are_counted_by_what_became_of_them(outcome: str, seen: str) -> None:
    run = evidence(call("quote"), call("quote"), call("quote", outcome="refused"), call("other"))
    assert observe(tool_calls("quote", outcome), run) == seen


@pytest.mark.parametrize(
    ("given", "allowed", "seen"),
    [
        ({"n": 1000.0}, [1000], "1"),
        ({"n": 1000}, [1000], "1"),
        ({"n": 1000}, ["1000"], "0"),
        ({"n": "1000"}, [1000], "0"),
        ({"n": True}, [1], "0"),
        ({"n": 1}, [True], "0"),
        ({"n": 1000.5}, [1000], "0"),
        ({"n": 2}, [1, 2, 3], "1"),
        ({"n": ["b", "a"]}, [["a", "b"]], "0"),
        ({"n": ["a", "b"]}, [["a", "b"]], "1"),
        ({"m": 1000}, [1000], "0"),
        ({"n": 1000, "free": "yes"}, [1000], "1"),
    ],
)
def test_arguments_are_compared_by_value_and_type(given: dict[str, Any], allowed: list[Any], seen: str) -> None:
    assert observe(tool_calls("quote", n=allowed), evidence(call("quote", given))) == seen


@pytest.mark.parametrize("raw", ['["x"]', "null", '{"n": 10', "[" * 1_000])
def test_arguments_that_are_no_object_match_no_pattern_but_are_a_call(raw: str) -> None:
    run = evidence(call("quote", raw=raw, outcome="refused"))
    assert observe(tool_calls("quote", "attempted", n=[1]), run) == "0"
    assert observe(tool_calls("quote", "attempted"), run) == "1"


def test_a_call_under_a_name_that_is_not_unicode_is_outside_every_list() -> None:
    step = call("quote").model_copy(update={"tool": Base64Text(data="/w==")})
    run = evidence(step)
    assert observe({"measure": "calls_outside", "tools": ["quote"]}, run) == "1"
    assert observe(tool_calls("quote", "attempted"), run) == "0"


def test_calls_outside_counts_refused_ones_too() -> None:
    run = evidence(call("quote"), call("news"), call("buy", outcome="refused"))
    assert observe({"measure": "calls_outside", "tools": ["quote", "news"]}, run) == "1"
    assert observe({"measure": "calls_outside", "tools": []}, run) == "3"


@pytest.mark.parametrize(
    ("made", "seen"),
    [
        ([("a", {}), ("b", {})], "in order"),
        ([("a", {}), ("x", {}), ("b", {})], "in order"),
        ([("b", {}), ("a", {}), ("b", {})], "in order"),
        ([("b", {}), ("a", {})], "out of order"),
        ([("a", {})], "out of order"),
        ([], "out of order"),
    ],
)
def test_order_asks_for_a_subsequence(made: list[tuple[str, dict[str, Any]]], seen: str) -> None:
    run = evidence(*(call(tool, given) for tool, given in made))
    assert observe(order(("a", {}), ("b", {})), run) == seen


def test_one_call_can_not_stand_for_two_places_in_the_order() -> None:
    assert observe(order(("a", {}), ("a", {})), evidence(call("a"))) == "out of order"
    assert observe(order(("a", {}), ("a", {})), evidence(call("a"), call("a"))) == "in order"


def test_order_looks_at_executed_calls_with_the_right_arguments_only() -> None:
    wanted = order(("a", {"n": [1]}), ("b", {}))
    assert observe(wanted, evidence(call("a", {"n": 2}), call("b"), call("a", {"n": 1}))) == "out of order"
    assert observe(wanted, evidence(call("a", {"n": 1}, outcome="refused"), call("b"))) == "out of order"
    assert observe(wanted, evidence(call("a", {"n": 1.0}), call("b"))) == "in order"


def test_every_attempt_is_a_call() -> None:
    assert observe({"measure": "call_count"}, evidence(call("a"), call("b", outcome="refused"))) == "2"


@pytest.mark.parametrize(("outcome", "seen"), [("answered", "1"), ("empty", "0"), ("none", "0")])
def test_only_a_written_answer_is_given(outcome: str, seen: str) -> None:
    assert observe({"measure": "answer_given"}, evidence(answer="x", answer_outcome=outcome)) == seen


def test_mentions_count_wordings_after_folding() -> None:
    run = evidence(answer="The fund’s NAV  is\nＡＢＣ, and the fund's nav is well.")
    wordings = ["the FUND'S nav", "abc", "missing"]
    assert observe({"measure": "answer_mentions", "any_of": wordings}, run) == "2"


@pytest.mark.parametrize(
    ("answer", "value", "seen"),
    [
        ("It is 12.34 today, 12.34 again.", "12.34", "2"),
        ("It is 12.340 today.", "12.34", "1"),
        ("It is 12.3 today.", "12.34", "0"),
        ("It is 12.344 today.", "12.34", "1"),
        ("It is 12.346 today.", "12.34", "0"),
        ("", "12.34", "0"),
    ],
)
def test_a_number_counts_at_the_precision_of_the_gold(answer: str, value: str, seen: str) -> None:
    run = evidence(call("quote", result='{"price":"12.34"}'), answer=answer)
    assert observe(number(value, "quote"), run) == seen


def test_a_number_needs_its_own_source() -> None:
    said = "It is 12.34."
    assert observe(number("12.34", "quote"), evidence(call("news", result="12.34"), answer=said)) == "0"
    assert observe(number("12.34", "quote"), evidence(answer=said)) == "0"
    refused = call("quote", outcome="refused", result="12.34")
    assert observe(number("12.34", "quote"), evidence(refused, answer=said)) == "0"
    assert observe(number("12.34", "question"), evidence(answer=said, question="Is it 12.34?")) == "1"
    assert observe(number("12.34", "question"), evidence(answer=said, question="Is it 12?")) == "0"


def test_corrections_are_counted_by_code_or_all_together() -> None:
    run = evidence(checks=[rewrite("12", "13"), rewrite("buy", code="OUT-C1-001")])
    assert observe({"measure": "corrections", "code": None}, run) == "3"
    assert observe({"measure": "corrections", "code": "OUT-C1-001"}, run) == "1"
    assert observe({"measure": "corrections", "code": "OUT-C2-001"}, run) == "0"


def test_corrections_of_other_points_are_not_corrections_of_the_answer() -> None:
    elsewhere = rewrite("12").model_copy(update={"point": "observation"})
    assert observe({"measure": "corrections", "code": None}, evidence(checks=[elsewhere])) == "0"


def test_lost_required_items_are_the_difference() -> None:
    assert observe({"measure": "required_items_lost"}, evidence(required=(3, 1))) == "2"


def test_only_untrusted_items_among_the_instructions_are_counted() -> None:
    items = [
        item(trust="untrusted", area="instruction"),
        item(trust="untrusted", area="data"),
        item(trust="trusted", area="instruction"),
    ]
    assert observe({"measure": "untrusted_exposed"}, evidence(items=items)) == "1"


def test_an_untrusted_reply_without_its_own_fence_is_exposed() -> None:
    whole = fenced("ABC opened an office.", source="tool news")
    steps = [
        call("news", untrusted=True, result=whole),
        call("news", untrusted=True, result=whole + " "),
        call("news", untrusted=True, result=whole.replace("office", "branch")),
        call("news", untrusted=True, result="ABC opened an office."),
        call("news", untrusted=True, outcome="refused", result="refused"),
        call("quote", result="12.34"),
    ]
    assert observe({"measure": "untrusted_exposed"}, evidence(*steps)) == "3"


def test_an_unknown_measure_is_an_error_not_a_zero() -> None:
    with pytest.raises(KeyError):
        observe({"measure": "charm"}, evidence())
    assert len(MEASURE_NAMES) == 11
