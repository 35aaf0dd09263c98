from __future__ import annotations

import hashlib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dataset.questions.guardrail_policy import GuardrailPolicy
from engine.guardrails.chain import WITHHELD, OutputGuardrails, SelfContradictingPolicyError, build_guardrails
from engine.guardrails.interface import AnswerContext, Evidence, GuardOutcome

NOTHING = AnswerContext(locale="en", question="", tool_results=())
QUOTE = AnswerContext(
    locale="en", question="NAV?", tool_results=(Evidence(step=1, tool="get_quote", text='{"nav":"1.2345"}'),)
)


class Raising:
    name = "raising"

    def check(self, answer: str, context: AnswerContext) -> GuardOutcome:
        raise RuntimeError(answer)


class Restless:
    name = "restless"

    def check(self, answer: str, context: AnswerContext) -> GuardOutcome:
        return GuardOutcome(guard=self.name, verdict="rewrite", code="X", text=answer + ".")


class Denying:
    name = "denying"

    def check(self, answer: str, context: AnswerContext) -> GuardOutcome:
        return GuardOutcome(guard=self.name, verdict="deny", code="X", text=answer)


def test_empty_chain_withholds_the_answer() -> None:
    guarded = OutputGuardrails(()).apply("The NAV is 1.23.", NOTHING)

    (outcome,) = guarded.outcomes
    assert guarded.text == WITHHELD["en"]
    assert (outcome.guard, outcome.verdict, outcome.code) == ("chain", "deny", "OUT-CHAIN-001")


@pytest.mark.parametrize("guard", [Raising(), Restless(), Denying()])
def test_broken_chain_withholds_the_answer(guard: Raising | Restless | Denying) -> None:
    guarded = OutputGuardrails((guard,)).apply(
        "secret answer", AnswerContext(locale="zh", question="", tool_results=())
    )

    last = guarded.outcomes[-1]
    assert guarded.text == WITHHELD["zh"]
    assert (last.verdict, last.code) == ("deny", "OUT-CHAIN-002")
    assert "secret answer" not in last.detail


def test_clean_answer_passes_byte_for_byte_with_one_verdict_per_guard(guardrails: OutputGuardrails) -> None:
    answer = "The NAV is  1.2345 .\n\n"

    guarded = guardrails.apply(answer, QUOTE)

    assert guarded.text == answer
    assert [(o.guard, o.verdict) for o in guarded.outcomes] == [
        ("forbidden_operation", "allow"),
        ("personal_advice", "allow"),
        ("number_grounding", "allow"),
    ]


def test_digest_is_that_of_the_raw_answer(guardrails: OutputGuardrails) -> None:
    answer = "The NAV is 9.99."

    guarded = guardrails.apply(answer, NOTHING)

    assert guarded.text != answer
    assert guarded.raw_sha256 == hashlib.sha256(answer.encode()).hexdigest()


def test_each_fault_is_corrected_by_its_own_guard(guardrails: OutputGuardrails, policy: GuardrailPolicy) -> None:
    answer = "The NAV is 9.99. I have placed your order. You should buy more. Have a nice day."

    guarded = guardrails.apply(answer, NOTHING)

    statement, disclaimer = policy.forbidden_operation.en.statement, policy.personal_advice.en.statement
    assert guarded.text == (
        f"The NAV is [unverified figure]. {statement} {disclaimer} Have a nice day.\n\n"
        f"{policy.forbidden_operation.en.note}"
    )
    assert [o.code for o in guarded.outcomes] == ["OUT-C1-001", "OUT-C2-001", "OUT-NUM-001"]


def test_numbers_of_a_replaced_sentence_are_not_corrected_as_well(guardrails: OutputGuardrails) -> None:
    guarded = guardrails.apply("You should put 60% into the fund.", NOTHING)

    assert [o.verdict for o in guarded.outcomes] == ["allow", "rewrite", "allow"]


def test_report_whose_date_has_no_source_is_taken_for_a_claim(guardrails: OutputGuardrails) -> None:
    answer = "Your order of 12 March 2026 has been executed."
    sourced = AnswerContext(locale="en", question="My order of 2026-03-12?", tool_results=())

    assert guardrails.apply(answer, sourced).text == answer
    rewritten = guardrails.apply(answer, NOTHING)
    assert [o.code for o in rewritten.outcomes if o.code] == ["OUT-NUM-001", "OUT-C1-001"]


def test_mixed_languages_are_checked_whatever_the_locale(guardrails: OutputGuardrails, policy: GuardrailPolicy) -> None:
    guarded = guardrails.apply("我已为您下单。 You should buy more.", NOTHING)

    assert policy.forbidden_operation.zh.statement in guarded.text
    assert policy.personal_advice.en.statement in guarded.text


def test_policy_whose_own_wording_would_be_corrected_is_refused(policy: GuardrailPolicy) -> None:
    rules = policy.personal_advice.en.model_copy(update={"statement": "You should buy nothing."})
    contradicting = policy.model_copy(
        update={"personal_advice": policy.personal_advice.model_copy(update={"en": rules})}
    )

    with pytest.raises(SelfContradictingPolicyError, match=r"personal_advice\.yaml en\.statement"):
        build_guardrails(contradicting)


PIECES = st.sampled_from(
    [
        "I have placed your order",
        "You should buy more",
        "I can't place orders",
        "the NAV is 9.99",
        "(1,234)",
        "3/4/2026",
        "on 12 March",
        "我已为您下单",
        "建议您加仓",
        "我无法为您下单",
        "净值为1.50元",
        "。",
        "，",
        ". ",
        ", ",
        "\n",
        "1. ",
        "- ",
        "**",
        "“",
        "”",
        "!",
        " but ",
        "12",
        "%",
        "[unverified figure]",
        "[数据待核实]",
        "according to the order",
        "will",
        "会",
        "您",
        "I",
        "the fund",
        "万",
        "年",
        "百分之",
        "…",
    ]
)
ANSWERS = st.one_of(st.text(max_size=100), st.lists(PIECES, max_size=12).map("".join))


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(answer=ANSWERS)
def test_applied_to_its_own_result_the_chain_changes_nothing(guardrails: OutputGuardrails, answer: str) -> None:
    once = guardrails.apply(answer, QUOTE)

    assert once.outcomes[-1].verdict != "deny"
    assert guardrails.apply(once.text, QUOTE).text == once.text


@given(answer=st.text(st.characters(codec="utf-8", categories=["Cf", "Zs", "Po", "So", "Lm"]), max_size=100))
def test_text_without_digits_or_words_stays_byte_for_byte(guardrails: OutputGuardrails, answer: str) -> None:
    assert guardrails.apply(answer, NOTHING).text == answer


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    "unit",
    [
        "I will I will now ",
        "your order order ",
        "you should ",
        "12,345 ",
        "1.5%-",
        "我会为您",
        "建议您",
        "a",
        "((1,234",
        "2026-03-",
        "百分之一",
        "1. ",
        "buy sell and I have ",
        "，，，",
        "I'd",
    ],
)
def test_answer_of_200_kilobytes_made_to_be_slow_is_finished(guardrails: OutputGuardrails, unit: str) -> None:
    answer = unit * (200_000 // len(unit.encode()))
    found = AnswerContext(
        locale="en",
        question=unit * 20,
        tool_results=(Evidence(step=1, tool="search", text=" ".join(map(str, range(5_000)))),),
    )

    assert guardrails.apply(answer, found).text
