"""The one way out for a final answer: every guard in order, until the text stands still."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from dataset.errors import GlassbenchError
from dataset.measures.guard_order import RESPONSE_CHAIN
from dataset.questions.guardrail_policy import GuardrailPolicy, WordingRules
from dataset.record import LOCALES, Locale
from engine.guardrails.forbidden_operation import ForbiddenOperationGuard
from engine.guardrails.interface import AnswerContext, GuardOutcome, OutputGuard
from engine.guardrails.number_grounding import NumberGroundingGuard
from engine.guardrails.personal_advice import PersonalAdviceGuard

EMPTY_CHAIN = "OUT-CHAIN-001"
BROKEN_CHAIN = "OUT-CHAIN-002"

# Not pack data: it must be there when the pack's policy is what is broken.
WITHHELD: dict[Locale, str] = {
    "en": "This answer is withheld because it could not be checked.",
    "zh": "因无法完成检查，本次回答不予显示。",
}
_MOST_ROUNDS = 6


class SelfContradictingPolicyError(GlassbenchError):
    """A fixed text of the policy would itself be corrected by one of the guards."""

    code = "GUARD-POLICY-002"


@dataclass(frozen=True, kw_only=True, slots=True)
class GuardedAnswer:
    """The answer that may be shown and judged, the sha256 (hex) of the raw one, and every verdict in order.

    Of each guard the first verdict is kept, and any later round's verdict that rewrote.
    """

    text: str
    raw_sha256: str
    outcomes: tuple[GuardOutcome, ...]


class OutputGuardrails:
    """An ordered chain of guards. An empty or broken one withholds the answer: it never lets it through."""

    def __init__(self, guards: Sequence[OutputGuard]) -> None:
        self._guards = tuple(guards)

    def apply(self, answer: str, context: AnswerContext) -> GuardedAnswer:
        """The answer after all guards. Applied to its own result it changes nothing.

        One guard's replacement can change what another sees (a dated report whose date turned out to be
        ungrounded is a bare claim), so rounds are repeated until one changes nothing.
        """
        raw = hashlib.sha256(answer.encode("utf-8", "surrogatepass")).hexdigest()
        if not self._guards:
            return _withheld(raw, (), context.locale, EMPTY_CHAIN, "no output guardrail is configured")
        outcomes: list[GuardOutcome] = []
        text = answer
        for round_number in range(_MOST_ROUNDS):
            before = text
            for guard in self._guards:
                try:
                    outcome = guard.check(text, context)
                # Whatever went wrong in a guard, an unchecked answer must not pass.
                except Exception as error:
                    detail = f"{guard.name} raised {type(error).__name__}"
                    return _withheld(raw, outcomes, context.locale, BROKEN_CHAIN, detail)
                text = outcome.text
                if round_number == 0 or outcome.verdict != "allow":
                    outcomes.append(outcome)
                if outcome.verdict == "deny":
                    return _withheld(raw, outcomes, context.locale, BROKEN_CHAIN, f"{guard.name} denied")
            if text == before:
                return GuardedAnswer(text=text, raw_sha256=raw, outcomes=tuple(outcomes))
        detail = f"corrections did not come to rest in {_MOST_ROUNDS} rounds"
        return _withheld(raw, outcomes, context.locale, BROKEN_CHAIN, detail)


def _withheld(raw: str, outcomes: Sequence[GuardOutcome], locale: Locale, code: str, detail: str) -> GuardedAnswer:
    text = WITHHELD[locale]
    denied = GuardOutcome(guard=RESPONSE_CHAIN, verdict="deny", code=code, text=text, detail=detail)
    return GuardedAnswer(text=text, raw_sha256=raw, outcomes=(*outcomes, denied))


def build_guardrails(policy: GuardrailPolicy) -> OutputGuardrails:
    """The chain of a pack's policy: C-1, C-2, then numbers.

    Wording comes first because its patterns are best matched on the words as the model wrote them, and so that
    numbers in sentences that go anyway are not corrected (and counted) as well. Raises
    SelfContradictingPolicyError where a fixed text of the policy would not pass the chain unchanged.
    """
    chain = OutputGuardrails(
        (
            ForbiddenOperationGuard(policy.forbidden_operation),
            PersonalAdviceGuard(policy.personal_advice),
            NumberGroundingGuard(policy.number_grounding),
        )
    )
    for place, text in _fixed_texts(policy):
        nothing_known = AnswerContext(locale="en", question="", tool_results=())
        if chain.apply(text, nothing_known).text != text:
            raise SelfContradictingPolicyError(
                f"{place}: the guardrails would correct this text themselves: {text!r}",
                hint="reword it, or narrow the pattern that it meets",
            )
    return chain


def _fixed_texts(policy: GuardrailPolicy) -> list[tuple[str, str]]:
    texts = [("chain.withheld." + locale, WITHHELD[locale]) for locale in LOCALES]
    for name, wording in (
        ("forbidden_operation", policy.forbidden_operation),
        ("personal_advice", policy.personal_advice),
    ):
        for locale in LOCALES:
            rules: WordingRules = wording.to(locale)
            texts += [(f"{name}.yaml {locale}.statement", rules.statement), (f"{name}.yaml {locale}.note", rules.note)]
    placeholders = ((locale, policy.number_grounding.to(locale).placeholder) for locale in LOCALES)
    return [*texts, *((f"number_grounding.yaml {locale}.placeholder", text) for locale, text in placeholders)]
