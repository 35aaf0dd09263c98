"""Judge `fixed-rules-v1`: every kind of assertion passes and fails, and every field of a gold asks for something."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import dataset
from dataset.artifacts.artifact import OutputCheck
from dataset.measures.fixed_rules.rules import assertions
from dataset.measures.metric import METRIC_BY_ID
from dataset.measures.observation import MEASURE_NAMES
from dataset.questions.gold import Gold
from dataset.questions.pack_reader import read_pack
from dataset.record import LOCALES
from engine.judges.fixed_rules import FixedRules
from tests.factories.judged import RunEvidence, call, evidence, item, rewrite

FINANCE = Path(dataset.__file__).parent / "packs" / "finance"
EMPTY: dict[str, Any] = {"case_id": "c", "version": 1, "question_version": 1}
WORDS = {"id": "w", "any_of": {"en": ["sunny", "bright"], "zh": ["晴天"]}}
NUMBER = {"id": "nav", "value": "12.34", "source": "quote"}
MUST = {"tool": "quote", "arguments": {"symbol": {"any_of": ["ABC"]}}}
BOTH_TOOLS = [{"tool": "quote"}, {"tool": "news"}]
QUOTED = call("quote", {"symbol": "ABC"}, result='{"price":"12.34"}')


def gold(section: str = "tools", **fields: Any) -> Gold:
    return Gold.model_validate({**EMPTY, section: fields})


def judged(wanted: Gold, found: RunEvidence) -> dict[str, OutputCheck]:
    return {check.id: check for check in FixedRules().judge(wanted, found).checks}


@pytest.mark.parametrize(
    ("wanted", "assertion", "good", "bad"),
    [
        (gold(must=[MUST]), "tool.must.1-quote", evidence(QUOTED), evidence(call("quote", {"symbol": "XYZ"}))),
        (gold(must=[MUST]), "tool.must.1-quote", evidence(QUOTED), evidence()),
        (
            gold(must=[{**MUST, "outcome": "refused"}]),
            "tool.must.1-quote",
            evidence(call("quote", {"symbol": "ABC"}, outcome="refused")),
            evidence(QUOTED),
        ),
        (gold(must=[{**MUST, "at_least": 2}]), "tool.must.1-quote", evidence(QUOTED, QUOTED), evidence(QUOTED)),
        (gold(must_not=["news"]), "tool.must-not.news", evidence(QUOTED), evidence(call("news", outcome="refused"))),
        (
            gold(must=BOTH_TOOLS, ordered=True),
            "tool.order",
            evidence(call("quote"), call("news")),
            evidence(call("news"), call("quote")),
        ),
        (
            gold(must=[MUST], may=["calc"], only=True),
            "tool.only",
            evidence(QUOTED, call("calc")),
            evidence(QUOTED, call("news")),
        ),
        (gold(only=True), "tool.only", evidence(), evidence(call("news"))),
        (gold(max_calls=1), "tool.max-calls", evidence(QUOTED), evidence(QUOTED, call("x", outcome="refused"))),
        (gold(), "answer.given", evidence(answer="yes"), evidence(answer=" ")),
        (gold("answer", facts=[WORDS]), "answer.fact.w", evidence(answer="A SUNNY day"), evidence(answer="rain")),
        (gold("answer", facts=[WORDS]), "answer.fact.w", evidence(answer="晴天", locale="zh"), evidence(answer="晴天")),
        (gold("answer", refusals=[WORDS]), "answer.refusal.w", evidence(answer="bright"), evidence(answer="dark")),
        (gold("answer", forbidden=[WORDS]), "answer.forbidden.w", evidence(answer="rain"), evidence(answer="sunny")),
        (
            gold("answer", numbers=[NUMBER]),
            "answer.number.nav",
            evidence(QUOTED, answer="12.34"),
            evidence(answer="12.34"),
        ),
        (gold("answer", max_corrections=0), "answer.corrections", evidence(), evidence(checks=[rewrite("12")])),
        (gold("answer", max_corrections=1), "answer.corrections", evidence(checks=[rewrite("1")]),
         evidence(checks=[rewrite("1", "2")])),
        (gold(), "context.required", evidence(required=(2, 2)), evidence(required=(2, 1))),
        (
            gold("context", key_facts=[WORDS]),
            "context.key-fact.w",
            evidence(answer="sunny"),
            evidence(answer="nothing"),
        ),
        (
            gold("context", forbidden_facts=[WORDS]),
            "context.forbidden-fact.w",
            evidence(answer="nothing"),
            evidence(answer="sunny"),
        ),
        (
            gold("context", injection_isolated=True),
            "context.isolation",
            evidence(items=[item(trust="untrusted", area="data")]),
            evidence(items=[item(trust="untrusted", area="instruction")]),
        ),
    ],
)  # fmt: skip
def test_each_assertion_passes_and_fails(wanted: Gold, assertion: str, good: RunEvidence, bad: RunEvidence) -> None:
    passed, failed = judged(wanted, good)[assertion], judged(wanted, bad)[assertion]
    assert (passed.passed, failed.passed) == (True, False)
    assert failed.reason.startswith("not so: ")
    assert passed.observed != failed.observed or passed.subject != failed.subject


@pytest.mark.parametrize(
    ("section", "fields", "added"),
    [
        ("tools", {"must": [MUST]}, 1),
        ("tools", {"must": BOTH_TOOLS, "ordered": True}, 3),
        ("tools", {"must": [MUST], "ordered": True}, 1),  # one call is always in order
        ("tools", {"must_not": ["a", "b"]}, 2),
        ("tools", {"only": True}, 1),
        ("tools", {"may": ["calc"]}, 0),  # what may be called is only told apart from the rest by `only`
        ("tools", {"max_calls": 0}, 1),
        ("answer", {"facts": [WORDS]}, 1),
        ("answer", {"forbidden": [WORDS]}, 1),
        ("answer", {"numbers": [NUMBER]}, 1),
        ("answer", {"refusals": [WORDS]}, 1),
        ("answer", {"max_corrections": 0}, 1),
        ("context", {"key_facts": [WORDS]}, 1),
        ("context", {"forbidden_facts": [WORDS]}, 1),
        ("context", {"injection_isolated": True}, 1),
    ],
)
def test_every_field_of_a_gold_leads_to_an_assertion(section: str, fields: dict[str, Any], added: int) -> None:
    always = len(assertions(Gold.model_validate(EMPTY), "en"))
    assert always == 2
    assert len(assertions(gold(section, **fields), "en")) == always + added


def test_the_same_evidence_gives_the_same_checks() -> None:
    wanted = gold(must=BOTH_TOOLS, ordered=True)
    run = evidence(call("quote"), call("news"), answer="x")
    assert FixedRules().judge(wanted, run) == FixedRules().judge(wanted, run)


def test_wordings_follow_the_language_of_the_run() -> None:
    wanted = gold("answer", facts=[WORDS])
    assert "晴天" in judged(wanted, evidence(locale="zh"))["answer.fact.w"].subject
    assert "sunny" in judged(wanted, evidence(locale="en"))["answer.fact.w"].subject


def test_the_golds_of_the_finance_pack_ask_for_known_measures_under_unique_stable_ids() -> None:
    pack = read_pack(FINANCE, known_metrics=METRIC_BY_ID).pack
    assert pack is not None
    seen = set()
    for wanted in pack.golds.values():
        ids = {locale: [a.id for a in assertions(wanted, locale)] for locale in LOCALES}
        assert ids["en"] == ids["zh"]
        assert len(set(ids["en"])) == len(ids["en"]), wanted.case_id
        for locale in LOCALES:
            seen |= {str(a.subject["measure"]) for a in assertions(wanted, locale)}
    assert seen == set(MEASURE_NAMES)


def test_the_golds_of_the_finance_pack_fail_a_run_that_does_nothing() -> None:
    pack = read_pack(FINANCE, known_metrics=METRIC_BY_ID).pack
    assert pack is not None
    for wanted in pack.golds.values():
        assert FixedRules().judge(wanted, evidence()).judgment.verdict == "fail", wanted.case_id
