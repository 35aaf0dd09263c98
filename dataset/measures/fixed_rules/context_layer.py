"""Context layer of `fixed-rules-v1`: required items kept, key facts used, forbidden ones not, injection isolated."""

from __future__ import annotations

from dataset.measures.fixed_rules.answer_layer import lacks, mentions
from dataset.measures.fixed_rules.assertion import Assertion
from dataset.questions.gold import FactGold, Gold
from dataset.record import Locale


def context_assertions(gold: Gold, locale: Locale) -> list[Assertion]:
    """Every run must keep its required items; the rest is what the gold asks for."""
    context = gold.context
    found = [
        Assertion(
            id="context.required",
            layer="context",
            subject={"measure": "required_items_lost"},
            relation="at_most",
            expected="0",
            claim="every required context item is kept whole",
        )
    ]
    found += [_carried(fact, locale) for fact in context.carried]
    found += [mentions("context.key-fact", fact, locale, layer="context") for fact in context.key_facts]
    found += [lacks("context.forbidden-fact", fact, locale, layer="context") for fact in context.forbidden_facts]
    if context.injection_isolated:
        found.append(
            Assertion(
                id="context.isolation",
                layer="context",
                subject={"measure": "untrusted_exposed"},
                relation="at_most",
                expected="0",
                claim="no untrusted text reaches the model as an instruction or without its fence",
            )
        )
    return found


def _carried(fact: FactGold, locale: Locale) -> Assertion:
    """What the strategy left of the session still says a fact."""
    wordings = fact.any_of.to(locale)
    return Assertion(
        id=f"context.carried.{fact.id}",
        layer="context",
        subject={"measure": "context_mentions", "any_of": list(wordings)},
        relation="at_least",
        expected="1",
        claim=f"the context that reached the model says {wordings[0]!r} or the like",
    )
