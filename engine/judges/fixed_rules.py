"""Judge `fixed-rules-v1`: code only, three layers, every assertion recorded."""

from __future__ import annotations

from dataset.measures.observation import Evidence
from dataset.measures.verdict import derive_judgment
from dataset.questions.gold import Gold
from dataset.record import Locale
from engine.judges.answer_layer import answer_assertions
from engine.judges.context_layer import context_assertions
from engine.judges.interface import Assertion, Judged, settle
from engine.judges.tool_layer import tool_assertions

VERSION = "fixed-rules-v1"


class FixedRules:
    """Deterministic: the same gold and evidence give the same checks and verdict."""

    version = VERSION

    def judge(self, gold: Gold, evidence: Evidence) -> Judged:
        """Every assertion of the gold settled from the evidence, and the verdict that follows."""
        checks = tuple(settle(assertion, evidence) for assertion in assertions(gold, evidence.case.locale))
        return Judged(checks=checks, judgment=derive_judgment(self.version, evidence.result, checks))


def assertions(gold: Gold, locale: Locale) -> list[Assertion]:
    """What a gold asks of a run in one language, layer by layer."""
    return [*tool_assertions(gold), *answer_assertions(gold, locale), *context_assertions(gold, locale)]
