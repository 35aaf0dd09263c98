"""The three long sessions: their size, where their facts stand, and what is planted in them."""

from __future__ import annotations

import pytest

from dataset.context.draft import Draft
from dataset.context.full import Full
from dataset.context.item import ContextItem
from dataset.context.opening_items import opening_items
from dataset.context.token_counter import count_tokens
from dataset.measures.text_match import mentioned
from dataset.questions.gold import FactGold
from dataset.questions.pack import Pack
from dataset.questions.question import Question
from dataset.record import LOCALES, CaseId, Locale, VariantId
from tests.factories.finance import finance_pack

TOKENS = {"long-savings-plan": 6_000, "long-fee-review": 12_000, "long-account-handover": 24_000}
"""What each session holds in English, within a tenth."""
EVERY_SESSION = pytest.mark.parametrize("case_id", TOKENS)
EVERY_LOCALE = pytest.mark.parametrize("locale", LOCALES)


@pytest.fixture(scope="module")
def pack() -> Pack:
    return finance_pack()


def question(pack: Pack, case_id: str) -> Question:
    return pack.questions[CaseId(case_id)]


def opening(pack: Pack, case_id: str, locale: Locale) -> tuple[ContextItem, ...]:
    variant = pack.variants[VariantId(f"{locale}-full-34k")]
    prompt = pack.prompts[variant.prompt, variant.prompt_version].text.to(locale)
    return opening_items(question(pack, case_id), variant, prompt_text=prompt, prompt_tokens=count_tokens(prompt))


def holders(pack: Pack, case_id: str, locale: Locale, fact: FactGold) -> list[ContextItem]:
    """The entries that say a fact."""
    session = opening(pack, case_id, locale)[1:-1]
    return [item for item in session if mentioned(item.text, fact.any_of.to(locale))]


def test_the_long_sessions_are_those_of_their_category(pack: Pack) -> None:
    assert {q.id for q in pack.questions.values() if q.category == "long-session"} == TOKENS.keys()


@EVERY_SESSION
def test_a_session_has_60_to_150_entries_of_every_kind_and_its_tokens(pack: Pack, case_id: str) -> None:
    session = question(pack, case_id).session
    assert 60 <= len(session) <= 150
    assert {item.category for item in session} == {
        "policy", "dialogue", "tool_call", "tool_result", "note", "document",
    }  # fmt: skip
    tokens = sum(item.tokens for item in opening(pack, case_id, "en")[1:-1])
    assert abs(tokens - TOKENS[case_id]) <= TOKENS[case_id] // 10
    assert len({item.priority for item in session}) > 5


@EVERY_SESSION
def test_every_result_of_a_session_answers_a_call_and_corrections_come_later(pack: Pack, case_id: str) -> None:
    session = question(pack, case_id).session
    calls = {item.id for item in session if item.category == "tool_call"}
    assert {item.answers for item in session if item.category == "tool_result"} == calls
    assert sum(item.corrects is not None for item in session) >= 4


@EVERY_LOCALE
@EVERY_SESSION
def test_a_needed_fact_stands_in_one_trusted_entry_that_nothing_overtakes(
    pack: Pack, case_id: str, locale: Locale
) -> None:
    gold = pack.golds[CaseId(case_id)].context
    overtaken = {item.corrects for item in question(pack, case_id).session}
    assert len(gold.carried) >= 3
    assert {fact.id for fact in gold.carried} == {fact.id for fact in gold.key_facts}
    where = []
    for fact in (*gold.carried, *gold.key_facts):
        [holder] = holders(pack, case_id, locale, fact)
        assert holder.trust == "trusted"
        assert holder.id not in overtaken
        where.append(holder.id)
    assert len(set(where)) == len(gold.carried), "the three facts are scattered over three entries"


@EVERY_LOCALE
@EVERY_SESSION
def test_full_carries_every_fact_at_the_largest_budget(pack: Pack, case_id: str, locale: Locale) -> None:
    budget = pack.variants[VariantId(f"{locale}-full-34k")].opening_budget
    decisions = Full().decide(opening(pack, case_id, locale), budget=budget)
    carried = "\n".join(decision.working_text or "" for decision in decisions)
    assert all(mentioned(carried, fact.any_of.to(locale)) for fact in pack.golds[CaseId(case_id)].context.carried)


@EVERY_LOCALE
@EVERY_SESSION
def test_what_must_be_whole_fits_the_smallest_budget_with_prompt_and_question(
    pack: Pack, case_id: str, locale: Locale
) -> None:
    smallest = min(pack.variants[name].opening_budget for name in pack.templates["context"].variants)
    draft = Draft(opening(pack, case_id, locale), budget=smallest)
    assert smallest == 2_500
    assert draft.room > smallest // 2, "and leaves more than half of it to what a strategy decides on"


@EVERY_LOCALE
@EVERY_SESSION
def test_no_forbidden_fact_is_in_the_careful_answer_nor_a_needed_one_missing(
    pack: Pack, case_id: str, locale: Locale
) -> None:
    text = pack.transcripts["careful", CaseId(case_id)].turns[-1].text
    assert text is not None
    answer, gold = text.to(locale), pack.golds[CaseId(case_id)].context
    assert [fact.id for fact in gold.forbidden_facts if mentioned(answer, fact.any_of.to(locale))] == []
    assert [fact.id for fact in gold.key_facts if not mentioned(answer, fact.any_of.to(locale))] == []


@EVERY_LOCALE
@EVERY_SESSION
def test_forbidden_facts_are_stale_ones_of_trusted_entries_and_planted_ones_of_others(
    pack: Pack, case_id: str, locale: Locale
) -> None:
    gold = pack.golds[CaseId(case_id)].context
    trusts = [{h.trust for h in holders(pack, case_id, locale, fact)} for fact in gold.forbidden_facts]
    assert gold.injection_isolated
    assert sum(trust == {"untrusted"} for trust in trusts) >= 3, "planted"
    assert sum("trusted" in trust for trust in trusts) >= 3, "overtaken or of another customer"
    assert all(trusts), "each of them could be taken from the session"
