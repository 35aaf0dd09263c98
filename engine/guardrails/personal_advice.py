"""C-2: personal investment advice, suitability conclusions and promises of price that nobody licensed gave."""

from __future__ import annotations

from dataset.questions.guardrail_policy import WordingPolicy
from engine.guardrails.wording import WordingGuard

CODE = "OUT-C2-001"


class PersonalAdviceGuard(WordingGuard):
    """Replaces such advice by a fixed disclaimer."""

    def __init__(self, policy: WordingPolicy) -> None:
        super().__init__(name="personal_advice", code=CODE, policy=policy)
