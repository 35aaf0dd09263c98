"""The ordered chain: first refusal ends it, every check is recorded, and an empty or broken chain denies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dataset.fixtures.frozen_set import FixtureSet
from engine.governance.authorisation import Authorisation
from engine.governance.budget import Budget
from engine.governance.frozen_reply import FrozenReply
from engine.governance.interface import CallRule, CallView, Observation, ObservationRule, RuleVerdict, deny
from engine.governance.observation import InstructionQuarantine, ObservationSize
from engine.governance.read_only import ReadOnly
from engine.governance.schema import Schema
from engine.governance.visibility import Visibility


@dataclass(frozen=True, kw_only=True, slots=True)
class ChainOutcome:
    """All verdicts in order. `refusal` is the deny that ended the chain; `text` is what an observation became."""

    verdicts: tuple[RuleVerdict, ...]
    refusal: RuleVerdict | None
    text: str = ""


class GovernanceChain:
    """The only way to a tool. `G0-CHAIN-001`: the chain is empty; `G0-CHAIN-002`: a rule broke."""

    def __init__(self, call_rules: Sequence[CallRule], observation_rules: Sequence[ObservationRule]) -> None:
        self._call_rules = tuple(call_rules)
        self._observation_rules = tuple(observation_rules)

    def check_call(self, call: CallView) -> ChainOutcome:
        """The verdicts on a call, up to and with the first refusal."""
        if not self._call_rules:
            return _ended([], deny("G0", "G0-CHAIN-001", "the governance chain is empty"))
        verdicts: list[RuleVerdict] = []
        for rule in self._call_rules:
            try:
                verdict = rule.check(call)
            except Exception as error:
                verdict = deny("G0", "G0-CHAIN-002", f"rule {rule.guard} broke: {type(error).__name__}")
            if verdict.verdict != "allow":
                return _ended(verdicts, verdict)
            verdicts.append(verdict)
        return ChainOutcome(verdicts=tuple(verdicts), refusal=None)

    def check_observation(self, observation: Observation) -> ChainOutcome:
        """The verdicts on an observation; `text` is what the model may see."""
        if not self._observation_rules:
            return _ended([], deny("G0", "G0-CHAIN-001", "the observation chain is empty"))
        verdicts: list[RuleVerdict] = []
        text = observation.text
        for rule in self._observation_rules:
            try:
                verdict = rule.check(Observation(tool=observation.tool, text=text, max_tokens=observation.max_tokens))
            except Exception as error:
                verdict = deny("G0", "G0-CHAIN-002", f"rule {rule.guard} broke: {type(error).__name__}")
            if verdict.verdict == "deny":
                return _ended(verdicts, verdict)
            text = verdict.text if verdict.text is not None else text
            verdicts.append(verdict)
        return ChainOutcome(verdicts=tuple(verdicts), refusal=None, text=text)


def _ended(before: list[RuleVerdict], refusal: RuleVerdict) -> ChainOutcome:
    return ChainOutcome(verdicts=(*before, refusal), refusal=refusal)


def build_chain(fixtures: FixtureSet) -> GovernanceChain:
    """G1 to G7 in their order."""
    return GovernanceChain(
        call_rules=(Visibility(), ReadOnly(), Authorisation(), Budget(), Schema(), FrozenReply(fixtures)),
        observation_rules=(ObservationSize(), InstructionQuarantine()),
    )
