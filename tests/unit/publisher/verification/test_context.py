"""A context is decided again from the question and the variant: whatever isn't what the strategy decides is found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from dataset.artifacts.artifact import Artifact, ContextItemRecord, ContextSection
from dataset.artifacts.outside_text import shown
from dataset.questions.pack import Pack
from publisher.verification.context import context_differences
from tests.factories.finance import finance_artifact, finance_pack

PACK: Pack = finance_pack()
CASE = "long-savings-plan"


def recorded(variant: str) -> Artifact:
    """A run of the session under a variant."""
    return finance_artifact(PACK, "context", case_id=CASE, variant_id=variant)


def places(artifact: Artifact, variant: str) -> list[str]:
    return [
        d.place for d in context_differences(artifact, PACK.questions[CASE], PACK.variants[variant], PACK.catalogue)
    ]


def forged(artifact: Artifact, change: Callable[[ContextSection], ContextSection]) -> Artifact:
    return artifact.model_copy(update={"context": change(artifact.context)})


def with_item(position: int, **changes: Any) -> Callable[[ContextSection], ContextSection]:
    def change(context: ContextSection) -> ContextSection:
        items = list(context.items)
        items[position] = items[position].model_copy(update=changes)
        return context.model_copy(update={"items": tuple(items)})

    return change


def first(artifact: Artifact, decision: str) -> int:
    return next(n for n, item in enumerate(artifact.context.items) if item.decision == decision)


@pytest.mark.parametrize(
    "variant", ["en-full-34k", "zh-full-5k", "en-recent-5k", "zh-recent-12k", "en-summary-12k", "zh-budgeted-5k"]
)
def test_what_a_strategy_decided_holds(variant: str) -> None:
    assert places(recorded(variant), variant) == []


@pytest.mark.parametrize(
    ("decision", "changes", "field"),
    [
        ("kept", {"decision": "omitted", "working_tokens": 0}, "decision"),
        ("omitted", {"decision": "kept"}, "decision"),
        ("compressed", {"working_text": "what nobody sent"}, "working_text"),
        ("compressed", {"working_text": None}, "working_text"),
        ("compressed", {"working_tokens": 1}, "working_tokens"),
        ("kept", {"original_tokens": 7}, "original_tokens"),
        ("omitted", {"reason": "the owner thought so"}, "reason"),
        ("kept", {"area": "instruction"}, "area"),
    ],
    ids=["dropped", "slipped-in", "other-text", "no-text", "cheaper", "counted-otherwise", "other-reason", "raised"],
)
def test_a_forged_decision_is_found_in_its_place(decision: str, changes: dict[str, Any], field: str) -> None:
    artifact = recorded("en-summary-12k")
    position = first(artifact, decision)
    if field in ("area", "original_tokens", "decision") and decision == "kept":
        position = len(artifact.context.items) - 1  # the question: the prompt's own count can't be checked
    found = places(forged(artifact, with_item(position, **changes)), "en-summary-12k")
    assert f"/context/items/{position}/{field}" in found


@pytest.mark.parametrize("by", [-200, -1, 1, 200])
def test_a_call_that_was_given_other_tokens_than_recorded_is_found(by: int) -> None:
    """The session has a policy: at its first step alone a count is known within the slack of that seam."""
    artifact = recorded("en-full-34k")
    (only,) = artifact.context.step_tokens
    steps = (only.model_copy(update={"tokens": only.tokens + by}),)
    found = places(forged(artifact, lambda context: context.model_copy(update={"step_tokens": steps})), "en-full-34k")
    assert found == (["/context/step_tokens/0/tokens"] if abs(by) > 100 else [])


def test_a_context_that_fits_and_is_said_to_have_failed_is_found() -> None:
    failed, good = recorded("en-full-5k"), "en-full-34k"
    budget = {"opening_budget": PACK.variants[good].opening_budget}
    artifact = forged(failed, lambda context: context.model_copy(update=budget))
    assert places(artifact, good) == ["/context/items"]


def test_a_context_that_went_on_without_fitting_is_found() -> None:
    whole = recorded("en-full-34k")
    budget = {"opening_budget": PACK.variants["en-full-5k"].opening_budget}
    artifact = forged(whole, lambda context: context.model_copy(update=budget))
    assert places(artifact, "en-full-5k") == ["/context/items"]


def test_a_context_that_was_never_opened_holds_no_working_text() -> None:
    artifact = recorded("en-full-5k")
    assert places(forged(artifact, with_item(3, working_text="x")), "en-full-5k") == ["/context/items/3"]


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"counter_version": "gb-tokens/9"}, "/context/counter_version"),
        ({"opening_budget": 1}, "/context/opening_budget"),
    ],
    ids=["counter", "budget"],
)
def test_another_counter_or_budget_is_found(change: dict[str, Any], place: str) -> None:
    artifact = forged(recorded("en-full-34k"), lambda context: context.model_copy(update=change))
    assert place in places(artifact, "en-full-34k")


def test_a_budget_of_the_opening_is_missing_only_where_it_had_no_part_of_its_own() -> None:
    old = forged(recorded("en-full-34k"), lambda context: context.model_copy(update={"opening_budget": None}))
    assert places(old, "en-full-34k") == ["/context/opening_budget"]
    before = PACK.variants["en-full-34k"].changed(context_reserve=None)
    assert list(context_differences(old, PACK.questions[CASE], before, PACK.catalogue)) == []


def test_a_context_that_did_not_fit_says_how_much_it_needed() -> None:
    failed = recorded("en-full-5k")
    assert places(failed, "en-full-5k") == []
    assert failed.result.error is not None
    error = failed.result.error.model_copy(update={"message": failed.result.error.message.replace("needs ", "needs 9")})
    told = failed.model_copy(update={"result": failed.result.model_copy(update={"error": error})})
    assert places(told, "en-full-5k") == ["/result/error/message"]
    assert places(forged(failed, with_item(2, reason="nobody asked for it")), "en-full-5k") == ["/context/items/2"]


def test_a_context_that_a_model_was_asked_with_was_opened() -> None:
    artifact = recorded("en-budgeted-5k")

    def emptied(context: ContextSection) -> ContextSection:
        items = [
            item.model_copy(update={"decision": "omitted", "working_tokens": 0, "working_text": None})
            for item in context.items
        ]
        return context.model_copy(update={"items": tuple(items)})

    assert places(forged(artifact, emptied), "en-budgeted-5k") == ["/context/items"]


def test_a_session_stands_once_however_many_steps_read_it() -> None:
    item: ContextItemRecord = recorded("en-full-34k").context.items[1]
    assert item.text is not None
    assert item.working_text is None
    assert shown(item.text) == PACK.questions[CASE].session[0].text.en
