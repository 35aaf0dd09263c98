"""C-1: wording by which the assistant claims to carry out, or to have carried out, a forbidden operation."""

from __future__ import annotations

from dataset.questions.guardrail_policy import WordingPolicy
from engine.guardrails.wording import WordingGuard

CODE = "OUT-C1-001"


class ForbiddenOperationGuard(WordingGuard):
    """Replaces such claims by a fixed statement and puts a risk note at the end."""

    def __init__(self, policy: WordingPolicy) -> None:
        super().__init__(name="forbidden_operation", code=CODE, policy=policy)
