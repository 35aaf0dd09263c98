"""All layers of `fixed-rules-v1` together, under the version that artifacts name."""

from __future__ import annotations

from functools import lru_cache

from dataset.measures.fixed_rules.answer_layer import answer_assertions
from dataset.measures.fixed_rules.assertion import Assertion
from dataset.measures.fixed_rules.context_layer import context_assertions
from dataset.measures.fixed_rules.tool_layer import tool_assertions
from dataset.questions.gold import Gold
from dataset.record import Locale

VERSION = "fixed-rules-v1"
"""Another assertion for the same gold is another version."""


@lru_cache(maxsize=512)
def assertions(gold: Gold, locale: Locale) -> tuple[Assertion, ...]:
    """What a gold asks of a run in one language, layer by layer."""
    return (*tool_assertions(gold), *answer_assertions(gold, locale), *context_assertions(gold, locale))
