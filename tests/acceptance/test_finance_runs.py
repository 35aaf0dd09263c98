"""The whole loop over the finance pack with both scripted styles: who passes, and which codes are reached."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import dataset
from dataset.canonical import Json, read_strict
from dataset.questions.pack import Pack
from dataset.record import Record
from engine.telemetry.event import EventKind, event_body
from tests.factories.finance import finance_batch, finance_executor, finance_pack

FINANCE = Path(dataset.__file__).parent / "packs" / "finance"
STYLES = ("careful", "careless")
CAREFUL_FAILS = {"holding-in-dollars", "which-harbour-fund"}
CARELESS_PASSES = {
    "dollar-money-market",
    "fund-profile-basics",
    "nav-on-holiday",
    "nav-then-value",
    "order-kinds-explained",
    "suitability-not-assessed",
    "watchlist-note",
}
GOVERNANCE_CODES = {
    "G1-VIS-001",
    "G1-VIS-002",
    "G2-RO-001",
    "G3-AUTH-001",
    "G3-AUTH-002",
    "G4-BUDGET-001",
    "G4-BUDGET-002",
    "G4-BUDGET-003",
    "G5-SCHEMA-001",
    "G5-SCHEMA-002",
    "G6-FIXTURE-001",
    "G7-OBS-001",
    "G7-OBS-002",
}


class EventList:
    """An event sink in memory."""

    def __init__(self) -> None:
        self.events: list[tuple[EventKind, Any]] = []

    def emit(self, kind: EventKind, body: Record | Json) -> None:
        self.events.append((kind, read_strict(event_body(body))))

    async def flush(self) -> None:
        pass

    def one(self, kind: EventKind) -> Any:
        return next(body for found, body in self.events if found == kind)

    def tools_by_step(self) -> list[set[str]]:
        return [{tool["name"] for tool in body["tools"]} for kind, body in self.events if kind == "tools_loaded"]

    def codes(self) -> set[str]:
        return {body["code"] for kind, body in self.events if kind == "check" and body["code"]}


Runs = Mapping[tuple[str, str, str], EventList]


def run(pack: Pack, *, template: str = "contrast", only: str | None = None) -> Runs:
    """Every planned run (or those of one case) by (style, variant, case)."""
    executor, plans = finance_executor(batch=finance_batch(template, pack=pack))
    runs = {}
    for plan in plans:
        if only in (None, plan.case_id):
            sink = EventList()
            asyncio.run(executor.execute(plan, 1, sink))
            runs[plan.model_key, str(plan.variant_id), str(plan.case_id)] = sink
    return runs


@pytest.fixture(scope="module")
def runs() -> Runs:
    return run(finance_pack())


@pytest.fixture(scope="module")
def prompted() -> Runs:
    return run(finance_pack(), template="prompt")


def verdicts(runs: Runs, style: str, variant: str) -> dict[str, str]:
    return {c: e.one("judged")["judgment"]["verdict"] for (s, v, c), e in runs.items() if (s, v) == (style, variant)}


def assert_both_styles_end_as_written(runs: Runs, template: str) -> None:
    variants = finance_pack().templates[template].variants
    assert {variant for _, variant, _ in runs} == set(variants)
    for variant in variants:
        careful, careless = (verdicts(runs, style, variant) for style in STYLES)
        assert len(careful) == len(careless) == 20
        assert "invalid" not in {*careful.values(), *careless.values()}
        assert {case for case, verdict in careful.items() if verdict != "pass"} == CAREFUL_FAILS, variant
        assert {case for case, verdict in careless.items() if verdict == "pass"} == CARELESS_PASSES, variant


def test_careful_and_careless_end_alike_whether_tools_are_given_or_searched(runs: Runs) -> None:
    """Careful fails only where it guesses, careless passes only what it can't spoil."""
    assert_both_styles_end_as_written(runs, "contrast")


def test_careful_and_careless_end_alike_under_either_system_prompt(prompted: Runs) -> None:
    assert_both_styles_end_as_written(prompted, "prompt")


def test_searched_tools_are_found_before_they_are_called(runs: Runs) -> None:
    given = runs["careful", "en-scoped-full", "quote-latest-price"].tools_by_step()
    searched = runs["careful", "en-search-full", "quote-latest-price"].tools_by_step()

    assert all(len(tools) > 5 and "tool_search" not in tools for tools in given)
    assert searched[0] == {"tool_search"}
    assert "quote_latest" in searched[1]
    assert len(searched) == len(given) + 1


def test_every_governance_code_is_reached_by_a_run(runs: Runs) -> None:
    reached = set().union(*(events.codes() for events in runs.values()))

    assert reached >= GOVERNANCE_CODES
    assert reached >= {"OUT-NUM-001", "OUT-C1-001", "OUT-C2-001"}


def test_fixture_whose_digest_differs_is_refused_with_G6_FIXTURE_002() -> None:
    pack = finance_pack()
    tampered = {
        key: dataclasses.replace(frozen, recorded_hash="0" * 64) if frozen.fixture.tool == "quote_latest" else frozen
        for key, frozen in pack.fixtures.fixtures.items()
    }
    broken = dataclasses.replace(pack, fixtures=dataclasses.replace(pack.fixtures, fixtures=tampered))

    found = run(broken, template="english", only="quote-latest-price")

    careful = found["careful", "en-scoped-full", "quote-latest-price"]
    assert "G6-FIXTURE-002" in careful.codes()
    assert careful.one("judged")["judgment"]["verdict"] == "fail"


def test_blatant_news_is_quarantined_and_the_subtle_newsletter_stays_out_of_the_instructions(runs: Runs) -> None:
    blatant = runs["careful", "en-scoped-full", "news-with-commands"]
    subtle = runs["careful", "en-scoped-full", "newsletter-with-false-price"]

    assert "G7-OBS-002" in blatant.codes()
    items = {item["id"]: item for item in subtle.one("context_built")["items"]}
    newsletter = next(item for name, item in items.items() if "newsletter" in name)
    assert (newsletter["trust"], newsletter["area"], newsletter["decision"]) == ("untrusted", "data", "kept")
