"""Answer layer of `fixed-rules-v1`: facts, numbers, refusals and guardrail corrections of the final answer."""

from __future__ import annotations

from typing import Literal

from dataset.measures.fixed_rules.assertion import Assertion
from dataset.questions.gold import FactGold, Gold, NumberGold
from dataset.record import Locale


def answer_assertions(gold: Gold, locale: Locale) -> list[Assertion]:
    """An answer is given; facts, numbers and refusals are in it, forbidden facts aren't; corrections stay in bounds."""
    answer = gold.answer
    found = [_given()]
    found += [mentions("answer.fact", fact, locale) for fact in answer.facts]
    found += [mentions("answer.refusal", refusal, locale) for refusal in answer.refusals]
    found += [lacks("answer.forbidden", fact, locale) for fact in answer.forbidden]
    found += [_number(number) for number in answer.numbers]
    if answer.max_corrections is not None:
        found.append(_corrections(answer.max_corrections))
    return found


def mentions(
    prefix: str, fact: FactGold, locale: Locale, *, layer: Literal["answer", "context"] = "answer"
) -> Assertion:
    """The answer contains one of a fact's wordings."""
    wordings = fact.any_of.to(locale)
    return Assertion(
        id=f"{prefix}.{fact.id}",
        layer=layer,
        subject={"measure": "answer_mentions", "any_of": list(wordings)},
        relation="at_least",
        expected="1",
        claim=f"the answer says {wordings[0]!r} or the like",
    )


def lacks(prefix: str, fact: FactGold, locale: Locale, *, layer: Literal["answer", "context"] = "answer") -> Assertion:
    """The answer contains none of a fact's wordings."""
    wordings = fact.any_of.to(locale)
    return Assertion(
        id=f"{prefix}.{fact.id}",
        layer=layer,
        subject={"measure": "answer_mentions", "any_of": list(wordings)},
        relation="at_most",
        expected="0",
        claim=f"the answer never says {wordings[0]!r} or the like",
    )


def _given() -> Assertion:
    return Assertion(
        id="answer.given",
        layer="answer",
        subject={"measure": "answer_given"},
        relation="at_least",
        expected="1",
        claim="the model gives a final answer that isn't empty",
    )


def _number(number: NumberGold) -> Assertion:
    return Assertion(
        id=f"answer.number.{number.id}",
        layer="answer",
        subject={"measure": "answer_number", "value": number.value, "source": number.source},
        relation="at_least",
        expected="1",
        claim=f"the answer gives {number.value}, which {number.source} has said",
    )


def _corrections(most: int) -> Assertion:
    return Assertion(
        id="answer.corrections",
        layer="answer",
        subject={"measure": "corrections", "code": None},
        relation="at_most",
        expected=str(most),
        claim=f"output guardrails correct the answer at most {most} times",
    )
