"""Judge `fixed-rules-v1`: code only, three layers, every assertion recorded."""

from __future__ import annotations

from dataset.measures.fixed_rules.assertion import settle
from dataset.measures.fixed_rules.rules import VERSION, assertions
from dataset.measures.observation import Evidence
from dataset.measures.verdict import derive_judgment
from dataset.questions.gold import Gold
from engine.judges.interface import Judged


class FixedRules:
    """Deterministic: the same gold and evidence give the same checks and verdict."""

    version = VERSION

    def judge(self, gold: Gold, evidence: Evidence) -> Judged:
        """Every assertion of the gold settled from the evidence, and the verdict that follows."""
        checks = tuple(settle(assertion, evidence) for assertion in assertions(gold, evidence.case.locale))
        return Judged(checks=checks, judgment=derive_judgment(self.version, evidence.result, checks))
