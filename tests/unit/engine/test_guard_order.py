from __future__ import annotations

from dataset.measures.guard_order import (
    BROKEN_GUARD,
    CALL_GUARDS,
    OBSERVATION_GUARDS,
    RESPONSE_CHAIN,
    RESPONSE_GUARDS,
    reply_source,
)
from engine.governance.chain import GovernanceChain, build_chain
from engine.governance.interface import Observation
from engine.guardrails.chain import OutputGuardrails, build_guardrails
from engine.guardrails.interface import AnswerContext
from tests.factories import TOOLS, make_fixture_set
from tests.factories.bank import make_guardrails

NOTHING = AnswerContext(locale="en", question="", tool_results=())


def test_the_governance_chain_has_its_rules_in_the_recorded_order() -> None:
    chain = build_chain(make_fixture_set())
    assert tuple(rule.guard for rule in chain._call_rules) == CALL_GUARDS
    assert tuple(rule.guard for rule in chain._observation_rules) == OBSERVATION_GUARDS


def test_an_empty_governance_chain_denies_under_its_own_name() -> None:
    observation = Observation(tool=TOOLS["fund_nav"], text="", max_tokens=16)
    (verdict,) = GovernanceChain((), ()).check_observation(observation).verdicts
    assert (verdict.guard, verdict.verdict) == (BROKEN_GUARD, "deny")


def test_the_output_guardrails_answer_in_the_recorded_order() -> None:
    outcomes = build_guardrails(make_guardrails()).apply("Fine.", NOTHING).outcomes
    assert tuple(outcome.guard for outcome in outcomes) == RESPONSE_GUARDS


def test_an_empty_output_chain_denies_under_its_own_name() -> None:
    (outcome,) = OutputGuardrails(()).apply("Fine.", NOTHING).outcomes
    assert (outcome.guard, outcome.verdict) == (RESPONSE_CHAIN, "deny")


def test_a_reply_is_named_by_its_step_and_tool() -> None:
    assert reply_source(3, "get_quote") == "step:3:get_quote"
