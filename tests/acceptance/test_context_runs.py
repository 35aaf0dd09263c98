"""The three long sessions under four strategies and three budgets, with both scripted styles."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from dataset.artifacts.artifact import Sections
from engine.telemetry.assembly import assemble
from tests.factories.finance import events_of, finance_batch, finance_executor, finance_pack
from tests.factories.sections import sections_of

HOW_TO = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "compare-context-strategies.md"
SESSIONS = ("long-savings-plan", "long-fee-review", "long-account-handover")
STRATEGIES = ("full", "recent", "summary", "budgeted")
LARGEST_ARTIFACT = 300_000
"""Bytes of a run over 24k tokens: a session's text stands once in it."""


class Arm(NamedTuple):
    """One arm of the template: the parts of its variant's name, and the case."""

    locale: str
    strategy: str
    budget: str
    case_id: str


class Outcome(NamedTuple):
    """What a run left."""

    sections: Sections
    size: int


Runs = Mapping[tuple[str, Arm], Outcome]


@pytest.fixture(scope="module")
def runs() -> Runs:
    """Every run of both styles."""
    executor, plans = finance_executor(batch=finance_batch("context", pack=finance_pack()))
    found = {}
    for plan in plans:
        events = asyncio.run(events_of(executor, plan))
        locale, strategy, budget = str(plan.variant_id).split("-")
        arm = Arm(locale, strategy, budget, str(plan.case_id))
        found[plan.model_key, arm] = Outcome(sections_of(events), len(assemble(plan.run_id, events)))
    return found


def of(runs: Runs, style: str) -> Iterator[tuple[Arm, Sections]]:
    return ((arm, outcome.sections) for (model, arm), outcome in runs.items() if model == style)


def test_every_session_is_run_under_every_strategy_budget_and_language(runs: Runs) -> None:
    assert len(runs) == 2 * 3 * 4 * 3 * 2
    assert {arm.case_id for _, arm in runs} == set(SESSIONS)
    assert {arm.strategy for _, arm in runs} == set(STRATEGIES)
    assert {sections.judgment.verdict for style in ("careful", "careless") for _, sections in of(runs, style)} == {
        "pass",
        "fail",
    }, "nothing is invalid"


def test_careful_passes_exactly_where_its_context_carries_all_three_facts(runs: Runs) -> None:
    for arm, sections in of(runs, "careful"):
        carried = [check for check in sections.output_checks if check.id.startswith("context.carried.")]
        assert len(carried) == 3
        assert (sections.judgment.verdict == "pass") == all(check.passed for check in carried), arm


def test_careful_passes_every_session_whole(runs: Runs) -> None:
    whole = [s for arm, s in of(runs, "careful") if (arm.strategy, arm.budget) == ("full", "34k")]
    assert [sections.judgment.verdict for sections in whole] == ["pass"] * 6


def test_full_fails_by_name_where_a_session_is_larger_than_its_budget(runs: Runs) -> None:
    failed = {(arm.budget, arm.case_id) for arm, s in of(runs, "careful") if s.result.status == "context_failed"}
    assert failed == {("5k", case) for case in SESSIONS} | {("12k", case) for case in SESSIONS[1:]}
    for arm, sections in of(runs, "careful"):
        if sections.result.status == "context_failed":
            assert arm.strategy == "full"
            assert sections.result.error is not None
            assert sections.result.error.code == "CONTEXT-BUDGET-001"
            assert sections.result.model_steps == 0, "no model is asked"


def test_careless_fails_whatever_it_is_given(runs: Runs) -> None:
    assert {sections.judgment.verdict for _, sections in of(runs, "careless")} == {"fail"}


def given(runs: Runs) -> Iterator[tuple[Arm, Sections]]:
    """The runs whose context was built."""
    return ((arm, s) for arm, s in of(runs, "careful") if s.result.status == "completed")


def test_no_model_call_exceeds_the_budget_and_what_is_required_stays_whole(runs: Runs) -> None:
    for arm, sections in given(runs):
        context = sections.context
        assert context.step_tokens, arm
        assert max(step.tokens for step in context.step_tokens) <= context.budget, arm
        assert context.required_kept == context.required_total > 0, arm


def test_nothing_untrusted_is_an_instruction(runs: Runs) -> None:
    for _, sections in given(runs):
        assert {item.area for item in sections.context.items if item.trust == "untrusted"} == {"data"}


def test_calls_keep_their_results_and_nothing_overtaken_comes_without_its_correction(runs: Runs) -> None:
    pack = finance_pack()
    for arm, sections in given(runs):
        reached = {item.id for item in sections.context.items if item.decision in ("kept", "compressed")}
        session = next(q for q in pack.questions.values() if q.id == arm.case_id).session
        for item in session:
            if item.answers is not None:
                assert (item.id in reached) == (item.answers in reached), (arm, item.id)
            if item.corrects in reached:
                assert item.id in reached, (arm, item.id)


def test_every_strategy_but_full_leaves_something_out_or_shortens_it_and_says_why(runs: Runs) -> None:
    kinds: dict[str, set[str]] = {}
    for arm, sections in given(runs):
        kinds.setdefault(arm.strategy, set()).update(item.decision for item in sections.context.items)
        assert all(item.reason for item in sections.context.items)
    assert kinds == {
        "full": {"kept"},
        "recent": {"kept", "omitted"},
        "summary": {"kept", "compressed", "omitted"},
        "budgeted": {"kept", "compressed", "referenced", "omitted"},
    }


def test_a_session_stands_once_in_its_artifact(runs: Runs) -> None:
    assert max(outcome.size for outcome in runs.values()) <= LARGEST_ARTIFACT


def test_the_how_to_shows_what_the_runs_give(runs: Runs) -> None:
    """Its table has a row for each strategy and budget, and for each session how many of both languages pass."""
    rows = re.findall(r"^\| `([a-z0-9-]+)` \| `(\w+)` \|((?: \d / 2 \|){3})$", HOW_TO.read_text(), re.MULTILINE)
    told = {(s, b, case): n for s, b, cells in rows for case, n in zip(SESSIONS, cells.split("|"), strict=False)}
    passed: dict[tuple[str, str, str], int] = {}
    for arm, sections in of(runs, "careful"):
        key = arm.strategy, arm.budget, arm.case_id
        passed[key] = passed.get(key, 0) + (sections.judgment.verdict == "pass")
    assert told == {key: f" {number} / 2 " for key, number in passed.items()}
